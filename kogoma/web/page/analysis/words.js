// What is said about analysing.

import { addWords } from "../words.js";

addWords({
  "analysis.title": ["Analysis", "検討"],
  "analysis.start": ["Analyse", "検討する"],
  "analysis.lines": ["Lines", "候補手の数"],
  "analysis.arrows": ["Arrows", "矢印"],
  "analysis.speed": ["{engine} · {nodes} nodes · {nps}/s · hash {hash}%", "{engine}・{nodes}局面・毎秒{nps}・ハッシュ{hash}%"],
  "analysis.depth": ["depth {depth}", "深さ{depth}"],
  "analysis.waiting": ["The engine is starting …", "エンジンを起動中…"],
  "analysis.over": ["The game is over in this position.", "この局面で終局しています。"],
  "analysis.hidden": ["Paused while the page is hidden.", "画面が隠れている間は休止します。"],
  "analysis.busy": ["Paused while the whole game is analysed.", "棋譜全体の検討中は休止します。"],
  "analysis.failed": ["The engine has failed: {text}", "エンジンが停止しました: {text}"],
  "analysis.line": ["Line {number}: {score}", "候補{number}: {score}"],
  "analysis.graph": ["Evaluation", "評価値"],
  "analysis.graphHelp": ["Scores as Black sees them; arrow keys step through the game", "先手から見た評価値。矢印キーで手を進めます"],
  "analysis.whole": ["Analyse the whole game", "棋譜全体を検討"],
  "analysis.each": ["Time per position", "1局面の時間"],
  "analysis.seconds": ["{seconds} s", "{seconds}秒"],
  "analysis.stop": ["Stop", "中止"],
  "analysis.progress": ["{done} of {all} positions", "{all}局面中{done}"],
  "analysis.done": ["The game is analysed.", "棋譜の検討が終わりました。"],
  "analysis.tree": ["Variations", "変化"],
  "analysis.treeHelp": [
    "Arrow keys move, p makes a variation the main line, c comments, Delete removes.",
    "矢印キーで移動、p で本譜にする、c でコメント、Delete で削除。",
  ],
  "analysis.startPosition": ["Start", "開始局面"],
  "analysis.promote": ["Make main line", "本譜にする"],
  "analysis.remove": ["Delete from here", "ここから削除"],
  "analysis.removed": ["{count} moves deleted.", "{count}手を削除しました。"],
  "analysis.undo": ["Undo", "元に戻す"],
  "analysis.comment": ["Comment on this position", "この局面へのコメント"],
  "analysis.inPlay": ["This move belongs to the game that is being played.", "対局中の手は削除できません。"],
  "analysis.position": ["Position …", "局面編集…"],
  "analysis.positionTitle": ["Set up a position", "局面を編集"],
  "analysis.sfen": ["Position as SFEN", "SFEN"],
  "analysis.game": ["Game", "種類"],
  "analysis.usual": ["Start position", "初期局面"],
  "analysis.openPosition": ["Open this position", "この局面を開く"],
  "analysis.cancel": ["Cancel", "キャンセル"],
  "analysis.good": ["The position is possible.", "正しい局面です。"],
});

export { language, t } from "../words.js";
