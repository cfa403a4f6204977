"""The manual pages of a learner's commands. A line that begins with a space is an example and is shown as it stands."""

from __future__ import annotations

from graders.text import Text

ROOT = Text(
    "Learn GPU kernels one blank at a time, on a machine with or without a GPU, and grade them.\n\n"
    "Without a command: where you are, and what to type next.\n\n"
    "Examples:\n  course run lesson05\n  course status\n  course grade lesson05/",
    "一次填一个空，学习 GPU 核函数并评分；有没有 GPU 都可以。\n\n"
    "不带命令时：显示你学到哪里、下一步输入什么。\n\n"
    "示例：\n  course run lesson05\n  course status\n  course grade lesson05/",
)
LIST = Text(
    "The lessons of the course, in order, with your best score.\n\nExamples:\n  course list\n  course list --json",
    "按顺序列出课程中的各课，以及你的最高分。\n\n示例：\n  course list\n  course list --json",
)
START = Text(
    "Write a lesson's template and answers.md into a folder of yours.\n\n"
    "Files that are there already are never overwritten. `course run` and `course watch` use this folder from then on.\n\n"
    "Example:\n  course start lesson05 my05",
    "把一课的模板与 answers.md 写入你的文件夹。\n\n"
    "已有的文件绝不会被覆盖。之后 `course run` 与 `course watch` 都使用这个文件夹。\n\n"
    "示例：\n  course start lesson05 my05",
)
RUN = Text(
    "Work through a lesson: read, fill the blank, see it run, answer the questions, get the score.\n\n"
    "Everything is saved as you type; whatever ends the session, the same command goes on where it stopped. Ctrl-C leaves.\n\n"
    "With --fill nothing is asked: the cases run and the card is printed. Exit code: 0 passed, 1 not passed, "
    "2 bad input, 3 this machine cannot run it.\n\n"
    "Examples:\n  course run lesson05\n  course run softmax --backend cpu\n  course run lesson05 --fill 0.0 --no-input --json",
    "学习一课：阅读、填空、运行、答题、得分。\n\n"
    "边输入边保存；无论因为什么中断，再次输入同一条命令就从停下的地方继续。Ctrl-C 离开。\n\n"
    "给出 --fill 时不再询问：直接运行用例并输出成绩单。退出码：0 通过，1 未通过，2 输入有误，3 此机器无法运行。\n\n"
    "示例：\n  course run lesson05\n  course run softmax --backend cpu\n  course run lesson05 --fill 0.0 --no-input --json",
)
TRY = Text(
    "Run a fill on an input of your own: shows input, expected and got.\n\n"
    "Nothing is recorded. Numbers may be nan, inf and -inf; a list that begins with a minus needs an equals sign.\n\n"
    "Examples:\n  course try lesson05 --fill 1.0 --shape 1,3\n  course try lesson07 --fill 0.0 --shape 1,3 --values=-2,-5,-1",
    "用你自己的输入运行填空：显示输入、期望与得到的结果。\n\n"
    "不会留下记录。数值可以是 nan、inf、-inf；以负号开头的列表要写等号。\n\n"
    "示例：\n  course try lesson05 --fill 1.0 --shape 1,3\n  course try lesson07 --fill 0.0 --shape 1,3 --values=-2,-5,-1",
)
HINT = Text(
    "The next of four hints: area, direction, key part, full answer.\n\n"
    "Every level is recorded. Levels 1 to 3 cost nothing. Level 4 is the full answer and asks first: after it the lesson "
    "cannot be passed on your own until `course reset`.\n\n"
    "Examples:\n  course hint lesson05\n  course hint lesson05 --level 2",
    "下一级提示，共四级：概念区域、具体方向、关键局部、完整答案。\n\n"
    "每一级都会记录。第 1 至 3 级不扣分。第 4 级是完整答案，打开前会先询问：此后在 `course reset` 之前，本课不再算独立完成。\n\n"
    "示例：\n  course hint lesson05\n  course hint lesson05 --level 2",
)
STATUS = Text(
    "Your route so far: points, time, hints, and what waits for a run on a GPU.\n\n"
    "Examples:\n  course status\n  course status --json",
    "你的学习进度：得分、用时、提示，以及等待 GPU 验证的结果。\n\n示例：\n  course status\n  course status --json",
)
NEXT = Text(
    "The first lesson that is not passed yet, and how to start it.\n\nExample:\n  course next",
    "第一个尚未通过的课，以及怎样开始。\n\n示例：\n  course next",
)
WATCH = Text(
    "Run the cases again whenever you save your file, in your own editor. Ctrl-C ends it.\n\n"
    "Watches the folder of `course start` or `course run`. On network drives, where the system does not report changes, "
    "--poll looks every half second.\n\n"
    "Examples:\n  course watch lesson05\n  course watch lesson12 --poll",
    "你在自己的编辑器里每次保存文件，就自动重新运行用例。Ctrl-C 结束。\n\n"
    "监视 `course start` 或 `course run` 使用的文件夹。网络磁盘上系统不报告改动时，用 --poll 每半秒检查一次。\n\n"
    "示例：\n  course watch lesson05\n  course watch lesson12 --poll",
)
RESET = Text(
    "Start a lesson afresh, or every lesson with --all. Asks first.\n\n"
    "Your files move to a backup folder, whose name is printed. The record of runs and hints stays.\n\n"
    "Examples:\n  course reset lesson05\n  course reset --all --yes",
    "重新开始一课；--all 为全部课程。会先询问。\n\n"
    "你的文件会移到备份文件夹，并显示其位置。运行与提示的记录保留。\n\n"
    "示例：\n  course reset lesson05\n  course reset --all --yes",
)
