// The words and the lines of game records in KIF, KI2, CSA and JKF. Python and JavaScript read records by this table
// (lab/kifu/grammar.py), so the object is JSON. Patterns are regular expressions that mean the same in both languages:
// only [0-9], explicit spaces and numbered groups, and a dot stands for any character.
//
//   side       the side that a result names: the one that wins, if there are several
//   word       an unknown end word; a damaged move is none, and neither is a word with a part that fits `no_word`
//   lines      what a line of KIF or KI2 is: the first pattern that fits the line decides
//   programs   programs whose records are text with USI moves, and the variant that they play
//   usi_remark the text after the # of a USI line: label, variant, names, result, reason
//   ends       what an end word or a result line says: reason, and result for the named side or else the side to move
//   kif, csa   reason -> the words to write if the side to move loses, wins, or nobody wins; "" if there is none
//   results    KIF's word -> the text of the result line, which is all that KI2 has

/** @type {{[table: string]: any}} */
export const GRAMMAR = {
  "ranks": "一二三四五六七八九",
  "files": "１２３４５６７８９",
  "marks": "▲△▼▽☗☖",
  "kanji": ["shogi", "minishogi", "minishogi-codingame", "dice", "dice-hyper", "dice-codingame", "judkins", "66shogi", "gorogoro", "micro", "kyoto"],
  "pieces": {
    "P": "歩", "L": "香", "N": "桂", "S": "銀", "G": "金", "B": "角", "R": "飛", "K": "玉",
    "+P": "と", "+L": "成香", "+N": "成桂", "+S": "成銀", "+B": "馬", "+R": "龍"
  },
  "promoted": {
    "kyoto": {"+P": "飛", "+L": "と", "+N": "金", "+S": "角"},
    "micro": {"+P": "桂", "+L": "銀", "+B": "と", "+R": "金"}
  },
  "on_board": {"成香": "杏", "成桂": "圭", "成銀": "全"},
  "synonyms": {"王": "玉", "竜": "龍", "杏": "成香", "圭": "成桂", "全": "成銀"},
  "csa_pieces": {
    "P": "FU", "L": "KY", "N": "KE", "S": "GI", "G": "KI", "B": "KA", "R": "HI", "K": "OU",
    "+P": "TO", "+L": "NY", "+N": "NK", "+S": "NG", "+B": "UM", "+R": "RY"
  },
  "variants": {
    "shogi": ["平手"], "minishogi": ["5五将棋", "五々将棋", "五五将棋", "５五将棋", "55将棋", "５５将棋"], "kyoto": ["京都将棋"], "66shogi": ["66将棋", "６６将棋", "六六将棋"]
  },
  "other_start": ["その他", "詰将棋", "詰め将棋"],
  "handicaps": {
    "香落ち": "lnsgkgsn1/1r5b1", "右香落ち": "1nsgkgsnl/1r5b1", "角落ち": "lnsgkgsnl/1r7",
    "飛車落ち": "lnsgkgsnl/7b1", "飛香落ち": "lnsgkgsn1/7b1", "二枚落ち": "lnsgkgsnl/9", "三枚落ち": "lnsgkgsn1/9",
    "四枚落ち": "1nsgkgsn1/9", "五枚落ち": "2sgkgsn1/9", "左五枚落ち": "1nsgkgs2/9", "六枚落ち": "2sgkgs2/9",
    "左七枚落ち": "2sgkg3/9", "右七枚落ち": "3gkgs2/9", "八枚落ち": "3gkg3/9", "十枚落ち": "4k4/9"
  },
  "handicap_synonyms": {
    "香落": "香落ち", "右香落": "右香落ち", "角落": "角落ち", "飛落ち": "飛車落ち", "飛落": "飛車落ち", "飛車落": "飛車落ち",
    "飛香落": "飛香落ち", "二枚落": "二枚落ち", "2枚落ち": "二枚落ち", "２枚落ち": "二枚落ち", "四枚落": "四枚落ち", "4枚落ち": "四枚落ち",
    "４枚落ち": "四枚落ち", "六枚落": "六枚落ち", "6枚落ち": "六枚落ち", "６枚落ち": "六枚落ち", "八枚落": "八枚落ち", "8枚落ち": "八枚落ち",
    "８枚落ち": "八枚落ち", "十枚落": "十枚落ち", "10枚落ち": "十枚落ち", "１０枚落ち": "十枚落ち"
  },
  "handicap_rest": "/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
  "drawn_handicaps": ["三枚落ち", "五枚落ち", "左五枚落ち", "左七枚落ち", "右七枚落ち"],
  "presets": {
    "KY": "香落ち", "KY_R": "右香落ち", "KA": "角落ち", "HI": "飛車落ち", "HIKY": "飛香落ち", "2": "二枚落ち", "3": "三枚落ち",
    "4": "四枚落ち", "5": "五枚落ち", "5_L": "左五枚落ち", "6": "六枚落ち", "7_L": "左七枚落ち", "7_R": "右七枚落ち",
    "8": "八枚落ち", "10": "十枚落ち"
  },
  "preset_variants": {"HIRATE": "shogi", "5_5": "minishogi"},
  "label_header": "棋譜番号",
  "number_header": "手数",
  "csa_headers": {
    "EVENT": "棋戦", "SITE": "場所", "START_TIME": "開始日時", "END_TIME": "終了日時", "OPENING": "戦型", "TIME_LIMIT": "持ち時間"
  },
  "players": {"先手": 0, "下手": 0, "後手": 1, "上手": 1, "black_player": 0, "white_player": 1},
  "programs": {"RokuRokuGUI": "66shogi"},
  "result_header": "result",
  "winners": ["black", "white", "draw"],
  "hands": {
    "先手の持駒": 0, "下手の持駒": 0, "後手の持駒": 1, "上手の持駒": 1,
    "先手の持ち駒": 0, "下手の持ち駒": 0, "後手の持ち駒": 1, "上手の持ち駒": 1
  },
  "openers": ["開始日時", "棋戦", "場所", "持ち時間", "手合割", "手合", "先手", "下手", "後手", "上手"],
  "move": "^[▲△▼▽☗☖]?[ 　]*(?:同[ 　]*|([1-9１-９])([1-9１-９一二三四五六七八九])同?[ 　]*)(成香|成桂|成銀|[歩香桂銀金角飛玉王と杏圭全馬龍竜])[ 　]*([右左直]?)([上寄引行入]?)[ 　]*(成|不成|生)?[ 　]*(打)?[ 　]*(?:[(（]([0-9０-９])([0-9０-９])[)）])?",
  "move_like": "(?:同|[1-9１-９][1-9１-９一二三四五六七八九])[ 　]*(?:成香|成桂|成銀|[歩香桂銀金角飛玉王と杏圭全馬龍竜])|[▲△▼▽☗☖][ 　]*[1-9１-９同]",
  "numbering": "^[0-9]{1,3}(?:[.．、:：]|手目?[:：]?)[ 　]*",
  "remark": "^[(（][^()（）]{0,60}[)）]",
  "time": "^[ 　\t]*[(] *(?:([0-9]{1,4}):)?([0-9]{1,6}):([0-9]{1,2}(?:[.][0-9]{1,6})?) *(?:/[ 0-9:.]*)?[)]",
  "token": "^[^ 　\t(]+",
  "after_move": "^(?:$|[ 　\t(+*])",
  "origin": "[(][0-9][0-9][)]",
  "held": "([^0-9一二三四五六七八九十 　])([一二三四五六七八九十]+|[0-9]*)",
  "cell": "([vV^ ]?)([^ vV^])",
  "end_remark": "^# ([a-z_]+) ([bw-])(?: ([^\n]+))?$",
  "side": "([先後下上])手(?!.*[先後下上]手.*勝)",
  "no_word": "[0-9０-９()（）*+:：|]",
  "word": "^(?:[A-Za-z_]{2,40}|[^一二三四五六七八九同打!-~]{1,40})$",
  "usi_word": "^[A-Za-z_]+$",
  "csa_move": "^([+-])([0-9]{2})([1-9]{2})([A-Z]{2})$",
  "csa_time": "^T([0-9]{1,9}(?:[.][0-9]{0,6})?)$",
  "csa_cell": "([+-])([A-Z]{2})|[*]",
  "csa_placed": "([0-9]{2})([A-Z]{2})",
  "csa_number": "^'# number ([0-9]{1,6})$",
  "lines": [
    ["numbered", "^(?![１-９][ 　]+[１-９](?:[ 　]|$))([0-9０-９]{1,6})[ 　\t.．、]+(?:black |white )?([^ 　\t(].*)$"],
    ["comment", "^[*](.*)$"],
    ["bookmark", "^(&.*)$"],
    ["game", "^# ?game ?(.*?), ([a-z0-9][a-z0-9-]*)$"],
    ["sfen", "^# ?sfen (.+)$"],
    ["dice", "^# ?dice ([1-6])$"],
    ["reason", "^# ?([a-z_]+)(?: ([bw-]))?$"],
    ["written_by", "^# ([A-Za-z]+) Kif$"],
    ["program", "^#"],
    ["table", "^手数--"],
    ["branch", "^変化[：:][ 　]*([0-9０-９]{1,6})手"],
    ["result", "^(?:まで|以上)、?[ 　]*(?:[0-9０-９]{1,6}手(?:目)?(?:まで)?(?:で)?)?、?[ 　]*(.*)$"],
    ["rank", "^[|](.*)$"],
    ["frame", "^(?:[+＋][-－]|９[ 　]*８|[９８７６５４３２１]( [９８７６５４３２１])*$|手数[＝=])"],
    ["turn", "^([先後下上])手番"],
    ["marked", "^(?:[0-9]{1,6}(?:手目?)?[:：]?[ 　\\t]*)?([▲△▼▽☗☖].*)$"],
    ["header", "^([^ 　\t：:*&|+#][^：:]{0,40})[：:](.*)$"],
    ["marked", "^((?:[ 　\t、，,]*[1-9１-９同][1-9１-９一二三四五六七八九　 ]*(?:成香|成桂|成銀|[歩香桂銀金角飛玉王と杏圭全馬龍竜])[右左直上寄引行入成不生打]*)+)$"]
  ],
  "usi_remark": "^(?:game( [^:,]*)?(?:, ([a-z0-9][a-z0-9-]{0,29}))?: )?(.*?)(?:(?:^| )(1-0|0-1|1/2-1/2|[*]) ([^ ]+))?$",
  "ends": [
    ["王手の?千日手|連続王手", "perpetual_check", 1],
    ["千日手", "repetition", 0],
    ["入玉|宣言", "declaration", 1],
    ["持将棋", "impasse", 0],
    ["最大手数|手数制限|手数上限", "max_moves", 0],
    ["引き?分", "draw", 0],
    ["不戦敗", "default", -1],
    ["不戦勝", "default", 1],
    ["反則勝", "illegal_move", 1],
    ["反則", "illegal_move", -1],
    ["時間切れ勝|切れ勝", "time", 1],
    ["切れ負|時間切れ|時間負", "time", -1],
    ["不詰", "no_mate", 0],
    ["詰", "checkmate", -1],
    ["中断|封じ手|待った|指し?掛け|打ち?掛け", "interrupted", 0],
    ["投了", "resign", -1],
    ["勝", "unknown", 1],
    ["[負敗]", "resign", -1]
  ],
  "kif": {
    "checkmate": ["詰み", "", ""], "stalemate": ["詰み", "", ""], "resign": ["投了", "", ""], "repetition": ["", "", "千日手"],
    "perpetual_check": ["反則負け", "反則勝ち", "千日手"], "impasse": ["", "入玉勝ち", "持将棋"], "declaration": ["", "入玉勝ち", ""],
    "illegal_move": ["反則負け", "反則勝ち", ""], "time": ["切れ負け", "", ""], "default": ["不戦敗", "不戦勝", ""],
    "no_mate": ["", "", "不詰"], "interrupted": ["", "", "中断"], "unknown": ["", "", "中断"], "": ["投了", "反則勝ち", "持将棋"]
  },
  "csa": {
    "checkmate": ["TSUMI", "", ""], "stalemate": ["TSUMI", "", ""], "resign": ["TORYO", "", ""], "repetition": ["", "", "SENNICHITE"],
    "perpetual_check": ["ILLEGAL_MOVE", "ILLEGAL_ACTION", "SENNICHITE"], "impasse": ["", "KACHI", "JISHOGI"],
    "declaration": ["", "KACHI", ""], "illegal_move": ["ILLEGAL_MOVE", "ILLEGAL_ACTION", ""], "time": ["TIME_UP", "", ""],
    "no_mate": ["", "", "FUZUMI"], "interrupted": ["", "", "CHUDAN"], "unknown": ["", "", "CHUDAN"],
    "": ["TORYO", "ILLEGAL_ACTION", "HIKIWAKE"]
  },
  "csa_ends": {
    "TSUMI": ["checkmate", -1], "TORYO": ["resign", -1], "SENNICHITE": ["repetition", 0], "OUTE_SENNICHITE": ["perpetual_check", 1],
    "JISHOGI": ["impasse", 0], "KACHI": ["declaration", 1], "ILLEGAL_MOVE": ["illegal_move", -1], "TIME_UP": ["time", -1],
    "FUZUMI": ["no_mate", 0], "CHUDAN": ["interrupted", 0], "HIKIWAKE": ["draw", 0], "MAX_MOVES": ["max_moves", 0],
    "MATTA": ["interrupted", 0], "ERROR": ["interrupted", 0]
  },
  "usi_ends": {"resign": ["resign", -1], "win": ["declaration", 1], "draw": ["draw", 0], "rep_draw": ["repetition", 0], "timeout": ["time", -1], "break": ["interrupted", 0], "interrupt": ["interrupted", 0]},
  "by_rules": {
    "checkmate": ["checkmate", "stalemate", "king_captured", "goal", "check", "master_captured", "shrine"],
    "repetition": ["repetition", "perpetual_check"],
    "illegal_move": ["perpetual_check"],
    "perpetual_check": ["perpetual_check"]
  },
  "results": {
    "詰み": "詰み", "投了": "{winner}手の勝ち", "千日手": "千日手", "持将棋": "持将棋", "入玉勝ち": "{winner}手の入玉勝ち",
    "反則負け": "{loser}手の反則負け", "反則勝ち": "{winner}手の反則勝ち", "切れ負け": "時間切れにより{winner}手の勝ち",
    "不戦敗": "不戦敗", "不戦勝": "不戦勝", "不詰": "不詰", "中断": "中断"
  }
};
