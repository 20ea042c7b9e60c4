"""Texts that read like articles. Each is a function of a number, and no two share more than a few runs of words."""
from __future__ import annotations

import random
import re

_THINGS = """archive harbour market bridge library garden orchestra factory museum railway school theatre bakery lighthouse workshop
forest reservoir observatory cathedral hospital vineyard quarry ferry festival newspaper laboratory orchard station monastery
playground canal exhibition brewery nursery greenhouse parliament windmill tunnel cemetery aquarium""".split()
_KINDS = """wooden quiet regional crowded modern forgotten coastal narrow famous careful northern generous expensive seasonal
temporary public ancient restored ordinary remarkable independent electric shallow distant private ambitious""".split()
_PEOPLE = """engineer teacher gardener carpenter historian nurse sailor painter baker mayor translator geologist conductor
librarian farmer mechanic photographer beekeeper printer surveyor""".split()
_ACTS = """repaired opened measured described abandoned financed planned visited rebuilt copied collected questioned moved
painted inspected explained closed defended compared counted catalogued welcomed""".split()
_GOODS = """maps tickets letters bells ropes lanterns engines recipes samples seeds photographs tools chairs barrels coins
drawings boats tiles clocks books instruments blankets""".split()
_WHEN = """in spring|after the storm|before the war|within three weeks|on a Sunday|at low tide|during the strike|every autumn|
by lamplight|in the following year|without warning|against all advice|for the second time|on the last day of the season""".replace(
    "\n", "").split("|")
_SENTENCES = [
    "The {kind} {thing} {when} drew {number} visitors, and most of them asked about the {goods}.",
    "A {person} {act} the {thing} {when}, although nobody had paid for the {kind} {goods}.",
    "Between the {thing} and the {other}, {number} {goods} were found {when}.",
    "What the {person} {act} {when} is still kept in the {kind} {thing}.",
    "Nobody knew why the {other} needed {number} {goods}, but the {person} {act} them all.",
    "Its {kind} roof came from a {other}, and its {goods} from a {kind2} {thing}.",
    "According to the {person}, the {thing} {when} cost less than {number} {goods}.",
    "They {act} the {kind} {other} first, then the {thing}, and {when} the {goods}.",
    "For {number} years the {person} wrote about {goods}, a {thing} and one {kind} {other}.",
    "If the {thing} is {kind}, says the {person}, its {goods} should be {kind2} as well.",
    "The council {act} {number} of the {goods} {when} and sent the rest to the {other}.",
    "Few {goods} survived, since the {kind} {thing} was {act} {when} by a {person}.",
    "Each {person} who {act} the {other} took {number} {goods} home {when}.",
    "Later the {kind2} {other} became a {thing}, where a {person} sold {goods}.",
    "Behind the {thing} a {kind} path leads to {number} {goods} and a {kind2} {other}.",
    "It was the {person}, not the {thing}, that {act} those {kind} {goods} {when}.",
]

_ZH_THINGS = "档案馆 港口 集市 石桥 图书馆 花园 乐团 工厂 博物馆 车站 学校 剧院 面包房 灯塔 作坊 森林 水库 天文台 医院 果园 渡口 报社 温室 运河 茶馆 书店".split()
_ZH_KINDS = "木制的 安静的 热闹的 古老的 崭新的 偏远的 狭窄的 著名的 普通的 昂贵的 临时的 公共的 修复过的 宽敞的 朴素的 电动的".split()
_ZH_PEOPLE = "工程师 教师 园丁 木匠 历史学家 护士 水手 画家 面包师 市长 翻译 馆员 农民 机械师 摄影师 养蜂人".split()
_ZH_ACTS = "修理了 打开了 测量了 描述了 放弃了 资助了 规划了 参观了 重建了 抄写了 收集了 质疑了 搬走了 粉刷了 检查了".split()
_ZH_GOODS = "地图 车票 书信 铜钟 绳索 灯笼 发动机 菜谱 样本 种子 照片 工具 椅子 木桶 硬币 图纸".split()
_ZH_WHEN = "春天 暴风雨之后 战争以前 三个星期之内 星期天 退潮时 罢工期间 每年秋天 第二年 毫无预兆地 第二次".split()
_ZH_SENTENCES = [
    "{when}，{kind}{thing}吸引了{number}名游客，他们大多询问{goods}的来历。",
    "一位{person}{when}{act}{thing}，尽管没有人为那些{goods}付钱。",
    "在{thing}和{other}之间，人们{when}发现了{number}件{goods}。",
    "{person}{act}的东西，至今仍保存在{kind}{thing}里。",
    "没有人知道{other}为什么需要{number}件{goods}，可是{person}{act}它们。",
    "它的屋顶来自一座{other}，它的{goods}来自一座{kind}{thing}。",
    "据{person}说，{thing}{when}的花费还不到{number}件{goods}。",
    "他们先{act}{kind}{other}，然后是{thing}，{when}才轮到{goods}。",
    "{number}年来，{person}一直在写{goods}、{thing}和一座{kind}{other}的故事。",
    "后来，{other}变成了{thing}，{person}在那里出售{goods}。",
]

PARAGRAPHS = 4
SENTENCES_A_PARAGRAPH = 5


def english(number: int, paragraphs: int = PARAGRAPHS) -> list[str]:
    """Paragraphs of about 70 words."""
    return _write(random.Random(f"en {number}"), paragraphs, _SENTENCES, " ", {
        "thing": _THINGS, "other": _THINGS, "kind": _KINDS, "kind2": _KINDS, "person": _PEOPLE, "act": _ACTS, "goods": _GOODS, "when": _WHEN})


def chinese(number: int, paragraphs: int = PARAGRAPHS) -> list[str]:
    """Paragraphs of about 130 characters."""
    return _write(random.Random(f"zh {number}"), paragraphs, _ZH_SENTENCES, "", {
        "thing": _ZH_THINGS, "other": _ZH_THINGS, "kind": _ZH_KINDS, "person": _ZH_PEOPLE, "act": _ZH_ACTS, "goods": _ZH_GOODS,
        "when": _ZH_WHEN})


def english_title(number: int) -> str:
    """Three or four words."""
    chance = random.Random(f"title {number}")
    return f"The {chance.choice(_KINDS)} {chance.choice(_THINGS)} and its {chance.choice(_GOODS)} {number}"


def chinese_title(number: int) -> str:
    """A heading in Chinese."""
    chance = random.Random(f"zh title {number}")
    return f"{chance.choice(_ZH_KINDS)}{chance.choice(_ZH_THINGS)}与{chance.choice(_ZH_GOODS)}（{number}）"


def edited(paragraphs: list[str], number: int) -> list[str]:
    """The same text after a small correction: another edition of it."""
    changed = list(paragraphs)
    if changed[1].isascii():
        changed[1] = changed[1].replace(" the ", f" the corrected{number} ", 1)
    else:
        changed[1] = changed[1].replace("，", "，经过更正，", 1)
    return changed


def _write(chance: random.Random, paragraphs: int, sentences: list[str], space: str, words: dict[str, list[str]]) -> list[str]:
    written = []
    for _ in range(paragraphs):
        chosen = chance.sample(sentences, SENTENCES_A_PARAGRAPH)
        filled = (one.format(number=chance.randint(12, 980), **{name: chance.choice(all_of) for name, all_of in words.items()})
                  for one in chosen)
        written.append(re.sub(r"\b([Aa]) (?=[aeiou])", r"\1n ", space.join(filled)))
    return written
