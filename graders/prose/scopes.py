"""The scopes over the clauses of an answer: who says it, is it denied, is it meant, is it claimed at all.

Quoted beliefs of others until the turn, withdrawn first ideas, 'it is not true that ...', what is supposed or said not to be
known, what is disowned afterwards, hedges, questions, words to the grader. read_clauses is the way in.
"""

from __future__ import annotations

import re
from dataclasses import replace

from graders.prose.clauses import Clause, Reading, pieces
from graders.prose.normalise import normalise

_F = re.IGNORECASE | re.ASCII
_S = r"[^\w\u4e00-\u9fff]*"  # white space and marks (under ASCII rules \W would take Chinese characters too)

_DENIAL = re.compile(
    r"(?:it(?:'s| is)|this is|that is|that's) (?:simply |just )?(?:not (?:true|the case|right|correct|so)|false|untrue|wrong|a myth|incorrect)(?: to (?:say|think|claim|believe))? that"
    r"|(?:not|n't) (?:mean|imply|follow|true|the case|as if|say|claim|believe|think) (?:that )?(?=\w)"
    r"|\bi (?:deny|doubt|disagree|dispute) (?:that|the)|no evidence that|(?:false|wrong|untrue|incorrect) (?:claim |idea |belief )?that"
    r"|并不是说|不是说|并非说|不意味|不等于说|不代表|谈不上|并不是因为|并不(?:成立|存在)的?是|不能说|不可以说|不认为|不相信|并非(?!负)",
    _F,
)
_DENIED_AFTER = re.compile(
    r"^"
    + _S
    + r"(?:(?:and |but |well,? )?(?:it|they|that|he|she) (?:does|do|is|are|will|would|did)(?:n't|nt| not)|(?:其实|但|可|事实上)?(?:它们?|这)?(?:其实|并)?不(?:会|是|然))"
    + _S
    + r"$|^"
    + _S
    + r"(?:and |but |no,? )?(?:this|that|it|which)(?:'s| is| was|) (?:claim |statement |idea )?(?:just |simply |plain |also |all |completely |obviously |actually )?"
    r"(?:wrong|false|untrue|not (?:true|right|the case|correct|so|what happens)|incorrect|a myth|nonsense)\b"
    r"|^"
    + _S
    + r"(?:这|那|此|以上|上述|这个|这种|这样)(?:个|种|句话|一?点|样)?(?:说法|想法|理解|观点|看法|结论|话)?(?:其实|当然|显然|完全|都|也|并)?(?:是|就)?(?:不(?:对|成立|正确|是真的|是这样|是事实)|错|假的|误解|误区|没有的事)"
    r"|^" + _S + r"(?:不(?:对|是这样|成立)|并非如此|不是这么回事|恰恰相反|正好相反|事实相反|错(?:了|的|误))" + _S + r"$"
    r"|^" + _S + r"(?:not true|wrong|false|nope|the opposite is true|not so|quite the opposite)" + _S + r"$",
    _F,
)
# A clause that ends in a verdict on a statement made in the same clause: '说...是错的'.
_DENIED_IN = re.compile(
    r"(?:说|认为|以为|觉得|声称|所谓|关于).{2,60}(?:是|都|就)?(?:不对|错(?:的|了|误)|不成立|不正确|假的|误解|误区|不准确)(?:的)?"
    + _S
    + r"$"
    r"|\b(?:saying|thinking|claiming|believing|the (?:claim|idea|belief|notion|view) that|to (?:say|think|claim)|people who (?:say|think))\b.{3,90}\b(?:wrong|false|mistaken|not true|incorrect|a mistake|nonsense)"
    + _S
    + r"$",
    _F,
)
_QUOTE = re.compile(
    r"有(?:些|的)?(?:人|同学)(?:会|可能|常|总)?(?:说|以为|认为|觉得)|(?:很|好)多人|不少人|大家(?:常|容易|可能|都)?(?:以为|觉得|认为)|常见(?:的)?(?:误解|误区|错误|说法|想法)"
    r"|(?:一开始|起初|最初|原来|本来|原先|先前|曾经?|之前|刚开始|第一反应|直觉)[^,。]{0,5}(?:以为|觉得|认为|想|是(?! ?-?\d|空|\(|每|由|线程|没)|写的?是|答)|我(?:先|原来|本来|起初|最初|差点)?(?:就)?以为|别以为|不要以为|不能以为|误以为|千万别|可别|网上(?:有人)?说"
    r"|some (?:people|folks|students|would|might)|(?:people|you|one|many|students|everyone) (?:often |sometimes |may |might |could |would |will |tend to )?(?:think|say|assume|believe|claim|expect)s?"
    r"|at first,? i|i (?:had )?(?:first|initially|originally|used to|once|was going to|wanted to|almost|nearly) (?:thought|think|assumed?|believed?|wrote|say|guess\w*|answer\w*)|my first (?:version|draft|thought|instinct|answer|guess|idea)"
    r"|(?:would be|is|it's) (?:wrong|a mistake|an error|absurd|nonsense) to (?:say|believe|think|claim|assume)|nobody (?:could|would|can|should) (?:seriously )?(?:say|claim|think|believe)"
    r"|common (?:mistake|misconception|belief|error)|you(?:'d| would| might|'d be tempted)? (?:think|assume|expect|suppose|hope)|tempt(?:ing|ed)|(?:don't|do not|never) (?:think|assume|confuse|say)|not to be confused|contrary to|it is a myth|myth\b"
    r"|(?:\bhe|\bshe|they|my (?:friend|roommate|classmate|colleague)|a classmate|the internet|chatgpt)[^,。]{0,8} (?:says?|said|thinks?|thought|claims?|claimed)|(?<![跟对向和给])(?:同学|朋友|室友|他|她)[^,。]{0,6}(?:说|以为|认为|觉得)",
    _F,
)
_TURN = re.compile(
    r"但(?!凡)|其实|实际上|事实上|然而|不过|错(?:的|了|在)|不对|不是这样|并非如此|后来|才(?:发现|知道|明白|意识)|正确的?(?:是|说法|答案|过程|做法)|真正|\bbut\b|actually|however|scratch (?:that|it)|\bwrong\b|not (?:true|so|right|the case)"
    r"|in (?:fact|reality|truth)|that's false|turns out|\breally,|\bno:|\bno,|这不行|这样不行|想想不|不成立|\bthe (?:real|actual|true) (?:reason|story|cause)|\binstead\b|\bthen i\b|它们?并",
    _F,
)
_WITHDRAWN = re.compile(
    r"scratch (?:that|it)|^"
    + _S
    + r"(?:no,? )?(?:wait|correction|oops|hmm,? no|sorry,? (?:that|i)|i take that back|on second thought|never ?mind)|划掉|收回|更正|(?:我)?(?:说|写)(?:错|反)了|^[^\w\u4e00-\u9fff]*等等|不对,|上面(?:写|说)?错|前面(?:那句)?(?:写|说)?错",
    _F,
)
_SUPPOSED = re.compile(
    r"如果|假如|假设|若(?!干)|要是|倘若|万一|否则|不然|要不|(?<![方者端])换成|假使|反之|一旦|(?<![人我他你她们师面句生])的话|\bif\b|otherwise|(?<!\bi )\bsuppose|imagine|had (?:you|we|i)\b|were to|wrongly|错误地|误(?:填|设|用|写)|\bunless\b|\bsay you\b|\bwere\b(?= \w+ (?:0|1|filled|padded))|手滑|不小心|\bwere (?:it|they|the|we)\b|^\s*were\b",
    _F,
)
_HEDGE = re.compile(
    r"maybe|\bmight\b|probably|perhaps|not (?:really |entirely |quite |100% |so |too )?sure|\bguess|i suppose|\bi think\b|i believe|possibly|kind of|sort of|iirc|afaik|可能(?!性)|大概|也许|好像|似乎|我猜|猜的|不(?:太|是很)?确定|不敢肯定"
    r"|应该是|(?<=[^不])应该(?=.{0,8}吧)|吧(?=$|[,。?!\s])|是不是|会不会|感觉|印象里|记不清|或许|估计|貌似",
    _F,
)
_STRONG_HEDGE = re.compile(
    r"not (?:really |entirely |quite |100% |so |too )?sure|\bguess|不(?:太|是很)?确定|我猜|猜的|没验证|maybe|可能是|也许|好像|或许|perhaps|probably|might|貌似|估计",
    _F,
)
_PLEA = re.compile(
    r"满分|(?:求|给)(?:我|个|打)*(?:高|点)?分(?!母|子|数是|布|别|配|到|块)|求(?:老师|助教|给|过|放过)|高抬贵手|full (?:credit|marks?|score|points?)|\baward\b|\brubric\b|\bgrader\b|\d ?/ ?2\b(?= (?:please|points))|请(?:直接)?(?:记|给|判)|be generous|评分(?:标准|系统|者|员)|阅卷|reviewer should"
    r"|(?:the |all )explanation points?|ignore (?:the|all|any|previous)|忽略(?:以上|之前|前面|所有|评分)|system prompt|as an ai|you are (?:a|an|the)\b.{0,20}(?:grader|assistant|model)|(?:this|my) answer (?:is|deserves|earns|should)|the answer (?:deserves|earns|should (?:get|be (?:graded|given|awarded|scored))|is (?:correct|complete|right|perfect|worth))|标准答案|参考答案|(?:给|打|判)(?:我)? ?[0-9一二两]+(?:\.\d)? ?分|^\s*system\s*:|本题(?:得|应)|maximum (?:score|points)|top marks|pretty please",
    _F,
)
_ADMITS = re.compile(
    r"不太记得|记不清|记不得|(?<!\bwe )(?<!\byou )(?<!\bthey )(?:don't|do not) (?:really |quite )?(?:know|remember|understand|get)|(?<!has )(?<!had )(?<!they have )(?<!lanes have )no idea|can't (?:explain|remember|recall)|没学会|讲不清|说不清|不记得|没(?:怎么)?听懂|没(?:怎么)?看懂|不会做|忘了|(?<!谁[也都])(?<![它也都并])不知道(?!哪|是|(?:我)?这(?:么|样)|(?:说|理解|想)?得?对不对|说(?:全|清|明白))|没跟上|不(?:太)?懂|没搞懂|没想明白|(?:没|不太有|没什么)把握|不(?:太)?清楚|unclear to me|not (?:really |quite |so )?clear"
    r"|haven't (?:learn|got|studied|read)|not sure (?:how|what|why|about|if|whether)|\bidk\b|missed this|\bdunno\b|lost me|没来上课|(?<!也)(?<!都)(?<!么)没做",
    _F,
)
_LAST_TURN = re.compile(
    _S + r"(?:however|to be honest|honestly|in truth|actually|that said|不过|但我|但是|只不过|然而|可是|说实话|老实说)",
    _F,
)
_BOTH_SIDES = re.compile(
    r"(?:或者[^。;]*){2,}|看怎么理解|怎么说都|\beither\b.{0,60}\bor\b.{0,80}\beither\b|depends on how you (?:look|read|see)",
    _F,
)
_ABOUT = re.compile(_S + r"(?:(?:and|but) )?(?:as for|as to|regarding|concerning|about|至于|关于|对于)", _F)
_TOPIC = re.compile(
    r"\"?行归约(?:与|和) ?padding ?单位元\"?|\"?(?:数值)?稳定 ?softmax ?(?:与|和)? ?(?:融合)?\"?(?=的?(?:工作)?机制)|\"?argmax ?对归约(?:与|和)确定性\"?|\"?row reduction (?:and|with) (?:the |a )?padding identity\"?|\"?argmax pair reduction and determinism\"?",
    _F,
)


# A question told in a sentence claims nothing: 'she asked whether the lanes are skipped', '有人问是不是被跳过'.
_ASKED = re.compile(
    r"\b(?:ask(?:s|ed|ing)?|wonder(?:s|ed|ing)?|the question (?:is|was)|you (?:might|may|could) ask)\b.{0,24}\b(?:whether|if|why)\b"
    r"|问.{0,6}(?:是不是|会不会|是否|为什么|为何|能不能|要不要)",
    _F,
)


def read_clauses(answer: str) -> Reading:
    """Split an answer into clauses and mark the scopes they stand in."""
    plain = normalise(answer)
    # The title of the lesson is not a statement: its words name no concept.
    text = _TOPIC.sub(lambda m: "#" * len(m.group(0)), plain.text)
    plain = replace(plain, text=text)
    clauses = [Clause(a, b, s, text[a:b]) for a, b, s in pieces(text)]
    reading = Reading(plain, clauses)
    for c in clauses:
        tail = text[c.end : c.end + 1]
        c.hedged = bool(_HEDGE.search(c.text))
        c.supposed = bool(_SUPPOSED.search(c.text))
        c.plea = bool(_PLEA.search(c.text))
        c.question = (
            tail == "?"
            or bool(_ASKED.search(c.text))
            or bool(re.match(_S + r"(?:为什么|为何|why|what|how|哪)", c.text) and tail == "?")
        )
        denial = _DENIAL.search(c.text)
        c.denied = bool(denial or _DENIED_IN.search(c.text))
        c.claim_from = denial.end() if denial else 0
    _reach(clauses)
    _quotes(clauses)
    _taken_back(clauses)
    reading.hedged = bool(_STRONG_HEDGE.search(text))
    reading.admits = bool(_ADMITS.search(text))
    _unknown(clauses)
    _disowned(clauses)
    _pleas(clauses)
    reading.plea = any(c.plea for c in clauses)
    return reading


def _unknown(clauses: list[Clause]) -> None:
    """What an admission of not knowing is about: its own clause, and those from 'as for' on in front of it."""
    for i, c in enumerate(clauses):
        if not _ADMITS.search(c.text):
            continue
        c.unknown = True
        before = [b for b in clauses[:i] if b.sentence == c.sentence]
        starts = [k for k, b in enumerate(before) if _ABOUT.match(b.text)]
        for b in before[starts[-1] :] if starts else []:
            b.unknown = True


def _pleas(clauses: list[Clause]) -> None:
    """Short scraps in a sentence with words to the grader belong to them ('..., 2/2', 'thank you')."""
    begging = {c.sentence for c in clauses if c.plea}
    for c in clauses:
        width = sum(2 if ord(char) > 0x2E7F else 1 for char in c.text.strip())
        if c.sentence in begging and width <= 14:
            c.plea = True


def _reach(clauses: list[Clause]) -> None:
    """Conditions and denials reach to the end of their sentence, or to the turn."""
    for i, c in enumerate(clauses):
        if i and clauses[i - 1].sentence == c.sentence:
            before = clauses[i - 1]
            turn = bool(_TURN.search(c.text)) or "而是" in c.text
            if before.supposed and not turn:
                c.supposed = True
            if (
                before.denied
                and not turn
                and _DENIAL.search(before.text)
                and re.match(_S + r"(?:and|or|nor|也|并|或)", c.text)
            ):
                c.denied = True


# 'People say X. And that is true:' makes X a claim of one's own.
_ENDORSED = re.compile(
    r"^"
    + _S
    + r"(?:and |so |well,? |yes,? )*(?:(?:that|this|it|they|he|she|people)(?:'s| is| are|'re) (?:indeed |quite |perfectly |exactly |completely |all )?"
    r"(?:true|right|correct|so|enough|the case)|(?:so )?(?:it|they) (?:does|is|do|are)|(?:rightly|quite) so|indeed|exactly)(?="
    + _S
    + r"$|[:,;] )"
    r"|^"
    + _S
    + r"(?:这|他们|说得|想得|这话|这个想法)?(?:确实|的确|完全|其实)?(?:就|都|也)?(?:是)?(?:如此|对的|正确的?|没错|不错|够了?|说得对|是这样)(?="
    + _S
    + r"$|[:,;])",
    _F,
)


def _quotes(clauses: list[Clause]) -> None:
    i = 0
    while i < len(clauses):
        m = _QUOTE.search(clauses[i].text)
        if not m:
            i += 1
            continue
        first, withdrawn = (
            clauses[i],
            bool(
                re.match(
                    r"my first|at first|i (?:first|initially|originally|used|once|was)|一开始|起初|最初|原来|本来|我",
                    m.group(0),
                )
            ),
        )
        first.quoted = True
        rest = first.text[m.end() :]
        if _TURN.search(rest) and not re.match(r"别以为|不要以为|千万别|可别", m.group(0)):
            i += 1
            continue
        j = i + 1
        reach = first.sentence + (1 if withdrawn else 0)
        turned = False
        while j < len(clauses) and clauses[j].sentence <= reach:
            if _TURN.search(clauses[j].text):
                turned = True
                break
            clauses[j].quoted = True
            j += 1
        if not turned and not withdrawn and j < len(clauses) and _ENDORSED.search(clauses[j].text):
            for k in range(i, j):
                clauses[k].quoted = False
        if not turned and withdrawn:
            # No turn came within reach: only the sentence itself was the first idea.
            for k in range(i + 1, j):
                if clauses[k].sentence > first.sentence:
                    clauses[k].quoted = False
        i = max(j, i + 1)


# 'The book says A. I think it is wrong.', 'If A were so, B would follow. But is it? I cannot say.': nothing of it is claimed.
_THEIRS = (
    r"(?:the |my |this |that |our )?(?:whole )?(?:lesson|book|textbook|text|course|tutor|teacher|author|lecturer|notes?|slides?|claim|statement|"
    r"he|she|it|they|this|that|both|neither|all (?:of )?(?:this|that|it))"
)
_DISBELIEVED = re.compile(
    _THEIRS + r" (?:is|are|was|were)(?: \w+)? (?:wrong|mistaken|false|in error|nonsense|untrue)\b"
    r"|\bi (?:do not|don't|can't|cannot|refuse to) believe (?:it|this|that|them|him|her|a word|any)|\bi (?:strongly )?(?:doubt|disagree|reject|dispute)\b"
    r"|(?:in reality|in fact|actually),? (?:this|that|it|none of (?:this|that|it)) (?:is|does|are|do)(?:n't| not)? (?:not )?(?:what happens|so|true|the case|happen)"
    r"|(?:课文|课本|课程|书(?:本|上)?|老师|助教|作者|讲义|他们?|她|这(?:话|些|说法|种说法|个说法)?|那(?:话|些)?)(?:说|写|讲)?(?:得|的)?(?:全|都|是|其实)*(?:错|不对|搞错|弄错)"
    r"|(?:这|那)(?:话|些|个|种说法)?我(?:才|可|都)?不(?:信|相信|认|认同|同意)|我(?:并|才|可)?不(?:信|相信|同意|认同)(?:这|它|他|课|书|上|$)|(?:实际|事实)上(?:并|根本)?不(?:会|是)?(?:这样|如此|这么回事)",
    _F,
)
_DOUBTED = re.compile(
    r"\bi (?:cannot|can't|could not|couldn't) (?:say|tell)\b|\bwho knows\b|\bi wonder (?:if|whether)\b|(?:do not|don't) know (?:which|whether|if)\b"
    r"|no idea (?:whether|if|which)\b|whether (?:that|this|it) is (?:so|true|the case)"
    r"|是不是(?:真的)?(?:这样|如此|这么回事)?(?:我)?(?:也)?(?:不(?:清楚|知道|确定)|说不(?:好|准|清))|(?:谁知道|说不准|不好说)(?:呢|吧)?$",
    _F,
)
_TOLD = re.compile(
    r"\b(?:says?|said|insists?|claims?|states?|warns?|writes?|teaches|tells? us|according to)\b|(?:课文|课本|书(?:本|上)?|老师|助教|讲义|作者|他们?|她)[^,。]{0,4}(?:说|讲|写|认为|坚持|教)",
    _F,
)


def _disowned(clauses: list[Clause]) -> None:
    """What others say or what is merely supposed, and is then disbelieved or left open, is not claimed."""
    for i, c in enumerate(clauses):
        doubted = bool(_DOUBTED.search(c.text))
        if not doubted and not _DISBELIEVED.search(c.text):
            continue
        own = [b for b in clauses[:i] if b.sentence == c.sentence]
        if own and all(b.quoted for b in own):
            continue  # 'some say A, which is wrong': A is theirs already, and nothing before it is touched
        sentence = c.sentence
        while sentence > c.sentence - 3 and sentence > 0:
            before = [b for b in clauses[:i] if b.sentence == sentence - 1]
            if not any(b.supposed or b.question or _TOLD.search(b.text) for b in before):
                break
            sentence -= 1
        scope = [b for b in clauses[:i] if sentence <= b.sentence]
        if any(b.supposed or b.question or _TOLD.search(b.text) for b in scope):
            for b in scope:
                b.quoted, b.unknown = b.quoted or not doubted, b.unknown or doubted


_BARE = re.compile(r"^" + _S + r"(?:wrong|false|错(?:了|的|误)|不对)" + _S + r"$", _F)
_OUTCOME = re.compile(
    r"(?:=|->|\b(?:is|gets?|gives?|returns?|prints?|becomes?|reports?)|得到?|返回|输出|变成|结果是?|成了?) ?\"?(?:-?\d[\d.]*|zero|零|neginf)\"?\s*$",
    _F,
)


def _taken_back(clauses: list[Clause]) -> None:
    for i, c in enumerate(clauses):
        after, back = _DENIED_AFTER.search(c.text), _WITHDRAWN.search(c.text)
        if not after and not back:
            continue
        # 'X. That is wrong.' denies the sentence before; 'X, which is wrong' the clauses before in this sentence.
        own = [k for k in range(i) if clauses[k].sentence == c.sentence]
        if own and after and not back and _BARE.search(c.text) and _OUTCOME.search(clauses[own[-1]].text):
            continue  # '..., so out = 0, wrong': the result is wrong, not the sentence
        target = own or [k for k in range(i) if clauses[k].sentence == c.sentence - 1]
        for k in target:
            if back:
                clauses[k].quoted = True
            elif not clauses[k].quoted:
                clauses[k].denied = not clauses[k].denied


# '看不见的位置', '没有数据的 lane': the negation stays inside the attribute. '不是加法的单位元' does not.


def takes_no_side(reading: Reading) -> bool:
    """Whether the answer ends on a turn against what it said, or offers both sides."""
    last = [c for c in reading.clauses if c.sentence == reading.clauses[-1].sentence] if reading.clauses else []
    turns = bool(last) and last[0].sentence > 0 and bool(_LAST_TURN.match(last[0].text))
    return turns or bool(_BOTH_SIDES.search(reading.text))
