"""The words in which people say what they ran, in English and Chinese, as patterns over folded text (see `fold`)."""

from __future__ import annotations

import re
import unicodedata

_I = re.IGNORECASE | re.ASCII
# Traditional characters that occur in sentences about runs; everything else may stay as it was written.
_TRADITIONAL = (
    "實实測测運运執执顯显報报錯错誤误過过輸输對对沒没無无還还電电腦脑僅仅靜静態态審审譯译編编釋释擬拟課课師师與与個个時时間间頻频寬宽"
    "結结約约應应該该預预計计試试總总敗败為为們们機机會会後后來来這这據据數数準准單单獨独認认產产開开關关發发現现論论說说聲声從从給给讓让"
    "標标樣样見见視视級级幾几幫帮環环設设備备處处內内問问題题異异輛辆點点邊边異异尋寻裡里證证驗验兩两次次遍遍續续齊齐規规書书體体終终"
)
_SIMPLIFIED = {ord(a): b for a, b in zip(_TRADITIONAL[::2], _TRADITIONAL[1::2], strict=True)}
_INVISIBLE = dict.fromkeys((173, 8288, 65279, *range(8203, 8208), *range(8234, 8239)))


def fold(text: str) -> str:
    """Lower case, half width, simplified characters, no invisible ones, no Markdown emphasis; for matching only."""
    plain = unicodedata.normalize("NFKC", text).translate(_INVISIBLE).translate(_SIMPLIFIED).lower()
    plain = plain.replace("’", "'").replace("×", "*").replace("µ", "μ")
    return re.sub(r"[*_`]{1,3}(?=\S)|(?<=\S)[*`]{1,3}", "", plain)


# --- machines ---------------------------------------------------------------------------------------------------------
MODEL = (
    r"(?<![a-z0-9])(?:h(?:100|200|800|20)|b[123]00|a(?:100|800|10g?|16|30|40|6000)|g[bh]200|l4|l40s?|v100s?|p100|k80|t4|t1000"
    r"|(?:rtx|gtx|geforce|quadro|titan)(?: ?rtx| ?gtx)? ?[a-z]?\d{3,4}(?: ?ti| ?super| ?d)*|rtx|geforce|jetson|orin|dgx"
    r"|(?:50[5-9]0|40[5-9]0|30[5-9]0|20[6-8]0|16[56]0|10[5-8]0)(?: ?ti| ?super)?(?![\d.,/* ]*(?:x\b|\*|us\b|ms\b|μs|gb|tb|col|row|行|列|个|elem|次)))(?![a-z0-9])"
)
GPU = re.compile(
    rf"{MODEL}|\bgpus?\b|(?<![a-z])gpu(?![a-z])|显卡|显示卡|图形卡|独显|真机|\bcolab\b|\bkaggle\b"
    r"|\b(?:graphics|video|nvidia|cuda) (?:card|device|hardware)s?\b|\b(?:my|our|the lab's) card\b|\bnvidia\b",
    _I,
)
MODEL_ONLY = re.compile(MODEL, _I)
CPU = re.compile(
    r"\bcpus?\b|(?<![a-z])cpu(?![a-z])|interpret(?:er|ed|ing)?\b(?! the)|interpret mode|triton_interpret|\bemulat\w+|\bsimulat(?:or|ed)\b"
    r"|解释器|解释模式|解释执行|模拟(?!考|题)|仿真|处理器",
    _I,
)
STATIC = re.compile(
    r"\bstatic(?:ally)? review\w*|\breview(?:ed)? (?:only|statically)|静态审查|静态检查|只(?:是)?(?:看|读)(?:了|过)?(?:一遍)?(?:代码|程序码|源码)|only (?:i )?read the (?:code|source)",
    _I,
)

# --- what happened ----------------------------------------------------------------------------------------------------
RAN = re.compile(
    r"\b(?:re-?)?(?:ran|runs?|running|execut\w+|tested|tests|tried|verified|checked|measured|benchmark\w*|timed|profiled|launched|used|worked|works)\b"
    r"|跑|运行|执行|实测|测试|测得|测出|测了|测过|验证|试过|试了|计时|上机",
    _I,
)
# In prose only a report of one's own past run counts: a kernel 'runs on a GPU' in every explanation.
RAN_PAST = re.compile(
    r"\b(?:re-?)?(?:ran|executed|tested|verified|measured|benchmarked|timed|profiled|tried)\b"
    r"|(?:跑|运行|执行|测试|测|验证|试)(?:了|过|得|出|通)(?!程)|实测|跑(?:的|下来)",
    _I,
)
MEASURED = re.compile(r"\b(?:measured|benchmarked|timed|profiled)\b|实测|测得|测出|测了|测过", _I)
FIRST = re.compile(r"(?<![a-z])(?:i|we|my|our|i've|i'm|mine)(?![a-z])|我|本人|本机|自己|咱", _I)
GOOD = re.compile(
    r"\bpass(?:ed|es|ing)?\b|\bok\b|\bgreen\b|\b(?:is|are|was|were|all|,|^) ?correct\b|\bcorrect(?:ly)?\b|\bmatch(?:es|ed)?\b|\bagree[sd]?\b|\bsucce\w+|\bworks?\b|\bworked\b|§ok|[✓✔√✅]"
    r"|\ballclose\W*true\b|(?:得到|给出|符合|达到)了?(?:期望|预期)|通过|全过|都过|过了$|正确|全对|都对|一致|成功|跑通|无误",
    _I,
)
BAD = re.compile(
    r"\bfail\w*|\bwrong\b|\berror\w*|\bmismatch\w*|\bcrash\w*|\bincorrect\b|§bad|[✗✘❌]|失败|出错|报错|错误|错的|不对|挂了|崩",
    _I,
)
# 'no errors' is a good result and no negation; 'does not pass' is a bad result, the run itself is not denied.
NO_FAILURE = re.compile(
    r"(?<!\w)(?:no|0|zero|without(?: any| a single)?|not a single|free of) (?:cases? |tests? )?(?:errors?|fail\w*|mismatch\w*|problems?|warnings?|differences?|issues?|crash\w*|findings?|complaints?|diagnostics?)"
    r"|\b(?:did not|didn't|never|does not|doesn't|none|nothing|no (?:case|test)s?) (?:once )?(?:fail(?:ed|s)?(?: once)?|crash(?:ed)?|went wrong|broke)"
    r"|(?:没有?|未|无|从未|一次都没有?|都没有?|零)(?:任何|一个|一次|有|出现|发现|报告|报|出|用例|测试)*(?:用例|测试)?(?:错误|失败|报错|出错|问题|警告|差异|误差|异常|挂|不一致|不匹配|不符)|不报错|无误|无(?:错|误|报错)|没(?:有)?毛病",
    _I,
)
NOT_GOOD = re.compile(
    r"(?:\bnot|n't|\bnever|\bno longer)(?: yet| all| even| quite| every\w*)?(?: of them| cases?| tests?)*(?: have| has| are| is)? (?:pass\w*|correct|match\w*|right|green)"
    r"|\bnot all\b.{0,20}\bpass\w*|\bno (?:case|test)s? pass\w*|\bnot passed\b"
    r"|(?:没有?|不|未|没能|未能|并未)(?:全部|都|完全|全|能|会|有)*(?:通过|正确|过|一致|对(?!应|比))",
    _I,
)
INSTEAD = re.compile(
    rf"(?:instead of|rather than|而不是|而非|并不是|不是|\bnot)(?: just)?\s*(?:on|in|with|using|by|在|用)?\s*(?:an?|the|any|my|our)?\s*(?:real |真实的?)?(?:{GPU.pattern}|{CPU.pattern})",
    _I,
)
NOT_ONLY = re.compile(r"\bnot (?:only|just|merely)\b|不(?:仅仅?|只|光|单)(?:是)?", _I)
NEGATION = re.compile(
    r"\bnot\b|n't\b|\bnever\b|\bno\b|\bnone\b|\bwithout (?:any |an? |the )?(?:gpu|card|cuda|hardware|device|running|executing|having|access|testing|measur)\w*|\bcannot\b|\bunable\b|\black\w*\b|\bneither\b|\bnor\b|\b(?:didnt|havent|dont|doesnt|wasnt|cant)\b|\bnothing\b|\bmissing\b|\bunavailable\b|\bun(?:tested|tried|verified|measured|checked)\b|\bn/a\b"
    r"|没(?!问题)|未(?!来)|无(?!穷|论|限|关)|不(?!同|仅|只|过|错|管|论|断|一会)|尚|缺少|并非|免了",
    _I,
)

# --- said, but not claimed --------------------------------------------------------------------------------------------
EXPECTED = re.compile(
    r"\b(?:should|would|could|might|may|will|shall|expect(?:s|ing|ation)?|predict\w*|theor\w+|(?<!of )(?<!of the )peak|targets?|goal|if|unless|once i|whether|plans?|planned|planning|going to|want(?:ed)? to|hop(?:e|ing)|hopefully|to-?do|pending|tomorrow|wish|suppos\w+|assum\w+|hypoth\w+|projected|roofline|datasheet|specs?|spec sheet|promis\w+|advertis\w+|need(?:s)? to|needed|required|to be (?:done|run|measured|tested|made|verified|confirmed)|(?:still|yet) to|outstanding|must|have to|has to|remains? to|waits? for|waiting|awaits?|up to|ideal(?:ly)?|guess\w*|intend\w*|about to|can (?:only )?(?:be|reach|run|hit))\b"
    r"|^\W*expected\b|的期望(?:输出|结果|值)?$|^期望|(?<![a-z])(?:i|it|we|you)'(?:ll|d)\b|(?<!as )(?<!than )\bexpected (?:to|about|around|roughly)|\b(?:i|we|is|was|be) (?:had )?(?:estimat\w+|expected)\b"
    r"|应该|应当|应能|该能|预计|(?<!与)(?<!和)(?<!合)(?<!如)(?<!出)预期|估计|估算|理论|峰值(?!的?\s*\d)|目标|大概率|多半|上限|期望(?!值|输出|结果)|希望|打算|计划|准备(?:在|去|用)|想(?:要|在|去)|将(?!近|它|其|结果|输出)|要是|如果|假如|若(?!干)|倘若|一旦"
    r"|会(?!议|话|上)|可以(?:达到|到|跑)|能(?:达到|到|够到)|等待|(?<!期)待(?!遇)|等(?:我|有|到|拿到|以后)|以后再|之后再|明天|下次|下周|有机会|需要|必须|标称|宣称|推测|猜|按理|理想|规格|有待",
    _I,
)
UNSURE = re.compile(
    r"\bi (?:think|believe|guess|suppose)\b|\bnot (?:quite |really |entirely )?(?:sure|certain)\b|\bmaybe\b|\bperhaps\b|\bprobably\b|\bpossibly\b|\bseems?\b|\bif i remember\b|\bapparently\b"
    r"|好像|似乎|不(?:太|大|是很|能|敢)?确定|可能|也许|大概是|记不清|印象中|应该是在|不敢肯定",
    _I,
)
_SOURCE = r"(?:lesson|course (?:text|notes?|material|page)|tutorial|textbook|lecture|handout|slides?|paper|article|blog|documentation|docs|datasheet|author|instructor|teacher|professor|vendor|table|nvidia's|whitepaper|(?<=the )text)"
ATTRIBUTED = re.compile(
    rf"\b{_SOURCE}(?:'s)?\b(?! i\b)|课文|教材|课程(?:里|中|的|表|给|测|说|文)|本课(?:的|里|中|表|给|测)|讲义|文档|表格|表(?:中|里|内)|教程|老师|教师|论文|官方|厂商|厂家|文中|课中|课上|作者|博客|据(?!此)(?:说|报|表|课|文|官)|引用|引自|手册",
    _I,
)
OTHERS = re.compile(
    r"\b(?:friend|classmate|roommate|colleague|someone|somebody|he|she|they|his|her|their|teammate|partner|a student)\b|同学|朋友|室友|同事|别人|有人|他|她|师兄|师姐",
    _I,
)
QUESTION = re.compile(r"[?？]\s*[)\"'”]*$|(?:吗|么|呢)[。.!]?$", _I)

# --- figures ----------------------------------------------------------------------------------------------------------
_NUMBER = r"(?<![\w.])(\d[\d,]{0,15}(?:\.\d{1,9})?)"
FIGURE = re.compile(
    rf"{_NUMBER}\s*(ms|us|μs|ns|s|sec|secs|seconds?|milliseconds?|microseconds?|nanoseconds?|毫秒|微秒|纳秒|秒钟?|分钟|minutes?"
    r"|[gt]i?b ?/ ?s(?:ec)?|[gt]bps|[gt]i?b每秒|[gtp]flop/?s?|[gtp]flops?/s|tops)(?![a-z0-9])",
    _I,
)
# A figure beside a GPU is a claim of a run only with a verb of happening; 'an A100 is 300 us' is not surely one.
HAPPENED = re.compile(
    r"\b(?:took|takes|reach(?:ed|es)|got|gave|gives|finish\w*|achiev\w*|hit|saw|came|needed|moved|did|show\w*|print\w*|report\w*|return\w*|clocked)\b"
    r"|耗时|用时|达到|花了|用了|只要|得到|打印|输出|返回|显示|看到|测",
    _I,
)
STATIVE = re.compile(r"\b(?:is|are|has|have|does|can|offers?|provides?)\b|是|有|能", _I)
SPEEDUP = re.compile(
    r"\d(?:\.\d{1,6})?\s*(?:x|times)\s*(?:faster|slower|speed|as fast)|speed-?up (?:of|is|was|=)?\s*\d|快了?\s*(?:约|大约)?\s*\d{1,6}(?:\.\d{1,6})?\s*倍|\d\s*倍",
    _I,
)
# What a card can do, said of the card: 'an A100 has 1.5 TB/s'.
SPECIFICATION = re.compile(
    rf"^(?:an?|the|one|each|every)?\s*(?:nvidia )?(?:{GPU.pattern})(?: \w+)?\s*(?:(?:has|have|had)(?! (?:not|never|been|yet))|offers?|provides?|supports?|comes with|delivers?|有(?!没有)|拥有|配备|提供|支持)(?![a-z])",
    _I,
)
# Both machines in one breath: 'the interpreter and the 3090'.
BOTH = re.compile(
    rf"(?:{CPU.pattern})[^,;]{{0,15}}?(?:\band\b|&|\bplus\b|和|与|以及|、|跟)[^,;]{{0,12}}?(?:{GPU.pattern})"
    rf"|(?:{GPU.pattern})[^,;]{{0,15}}?(?:\band\b|&|\bplus\b|和|与|以及|、|跟)[^,;]{{0,12}}?(?:{CPU.pattern})",
    _I,
)
# What follows a heading such as 'GPU run:' where nothing was run.
EMPTY = re.compile(
    r"^\W*(?:not (?:yet|done|run|available|possible|tested|executed|performed)|none(?: yet)?|no|never|skipped|n/?a|跳过|(?:尚|还|暂)?[未没无]\w{0,4}|待\w{0,3})\W*$",
    re.IGNORECASE,
)
BARE_NO = re.compile(r"^\W*(?:none|no|not|nothing|never|n/a|无|没有?|否|未)\W*$", _I)
KERNEL_UNITS = {"ms", "us", "μs", "ns", "millisecond", "microsecond", "nanosecond", "毫秒", "微秒", "纳秒"}
COUNTS = re.compile(r"(?<![\d./])(\d{1,5})\s*(?:/|of|out of|之|／)\s*(\d{1,5})(?![\d./])", _I)
COUNT_ALL = re.compile(
    r"\ball (?:of the |the )?(\d{1,5}) (?:cases?|tests?|of them)|(?:全部|所有|共)\s*(\d{1,5})\s*(?:个|项|条)?(?:用例|测试|案例)?",
    _I,
)
ALL_GOOD = re.compile(
    r"\b(?:all|every|everything|each)\b[^.;]{0,40}\b(?:pass\w*|green|correct|ok|works?|worked)\b|\b100 ?%|§ok"
    r"|(?:全部|全都|所有|都|均|全)(?:的)?\s*(?:\d+\s*个?)?\s*(?:用例|测试|案例|cases?)?\s*(?:都|均|全部)?\s*(?:通过|正确|过|对(?!应|比)|ok|pass)|一次(?:就)?(?:全)?过",
    _I,
)
BARE_GOOD = re.compile(
    r"^(?:the )?(?:result|status|output|结果|状态|输出|run|运行|结论)?\s*(?:is|was|=|为|是)?\s*(?:test |tests )?(?:pass(?:ed|es)?|ok|通过(?:了)?|全过|正确|成功|correct)\s*[!.。]*$",
    _I,
)
TOTAL_LINE = re.compile(
    r"(?<![\d.])(\d{1,3}(?:\.\d{1,3})?)\s*/\s*10(?:\.0)?\s+(not passed|passed|未通过|通过|not decided|未定)", _I
)
DEVICE_LABEL = re.compile(
    r"^\s*[-•]?\s*[\"']?(?:device|tier|executor|get_device_name|gpu|card|hardware|machine|environment|env|设备|显卡|硬件|环境|机器|平台|platform)\s*(?:name|型号)?[\"']?\s*$",
    _I,
)
