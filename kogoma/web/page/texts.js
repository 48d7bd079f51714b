// The words of playing, keeping and settings.

import { addWords, hasWords, t } from "./words.js";

addWords({
  // Games
  "game-shogi": ["Shogi", "本将棋"],
  "game-minishogi": ["Minishogi", "5五将棋"],
  "game-minishogi-codingame": ["Minishogi (CodinGame)", "5五将棋(CodinGame)"],
  "game-dice": ["Dice-Shogi", "サイコロ将棋"],
  "game-dice-hyper": ["Hyper Dice-Shogi", "ハイパーサイコロ将棋"],
  "game-dice-codingame": ["Dice-Shogi (CodinGame)", "サイコロ将棋(CodinGame)"],
  "game-judkins": ["Judkins Shogi", "ジャドケンス将棋"],
  "game-gorogoro": ["Gorogoro Shogi", "ごろごろ将棋"],
  "game-micro": ["Microshogi", "五分摩訶将棋"],
  "game-kyoto": ["Kyoto Shogi", "京都将棋"],
  "game-dobutsu": ["Dōbutsu Shōgi", "どうぶつしょうぎ"],
  "game-generals": ["Game of Generals", "将軍のゲーム"],
  "game-onitama": ["Onitama", "オニタマ"],
  // Sides and players
  black: ["Black", "先手"],
  white: ["White", "後手"],
  person: ["Person", "人"],
  you: ["You", "あなた"],
  "engine-here": ["Kogoma", "Kogoma"],
  "player-level": ["{name}, level {level}", "{name}(レベル {level})"],
  // Where the game stands
  "to-move": ["{side} to move", "{side}の番"],
  "your-move": ["Your move", "あなたの番です"],
  thinking: ["{name} is thinking …", "{name} が考えています…"],
  paused: ["Paused", "一時停止中"],
  check: ["check", "王手"],
  "looking-back": ["Move {ply} of {plies}: moves made here become a variation.", "{ply}手目/{plies}手:ここで指すと変化になります。"],
  "looking-aside": ["A variation, move {ply}.", "変化の{ply}手目。"],
  "to-the-game": ["Back to the game", "対局に戻る"],
  "play-from-here": ["Play on from here", "ここから対局"],
  // Ends
  wins: ["{side} wins", "{side}の勝ち"],
  draw: ["Draw", "引き分け"],
  "result-with": ["{result}: {reason}.", "{result}({reason})"],
  "end-checkmate": ["checkmate", "詰み"],
  "end-stalemate": ["{other} has no legal move, and has lost", "{other}は指せる手がなく負け"],
  "end-stalemate-wins": ["{side} has no legal move, which wins here", "{side}は指せる手がなく、このルールでは勝ち"],
  "end-king_captured": ["the king is captured", "玉を取った"],
  "end-master_captured": ["the master is captured", "師範を取った"],
  "end-goal": ["the king has crossed the board", "トライ成功"],
  "end-shrine": ["the master is on the shrine", "師範が相手の祠に着いた"],
  "end-repetition": ["the position was repeated", "千日手"],
  "end-check": ["the first check wins here", "最初の王手で勝ち"],
  "end-repetition-lost": ["the position was repeated, which {other} loses here", "千日手は{other}の負け"],
  "end-perpetual_check": ["perpetual check by {other} is forbidden", "{other}の連続王手の千日手"],
  "end-perpetual_check-standing": ["the position was repeated with {side} in check", "{side}への王手で同じ局面が繰り返された"],
  "end-max_plies": ["the longest a game may last, {plies} moves", "最大手数の{plies}手に達した"],
  "end-resignation": ["{other} resigned", "{other}が投了"],
  "end-time": ["{other} has no time left", "{other}の時間切れ"],
  "end-declaration": ["{side} declared to have won", "{side}の入玉宣言勝ち"],
  // What can be done
  "new-game": ["New game", "新しい対局"],
  games: ["Games", "棋譜一覧"],
  settings: ["Settings", "設定"],
  close: ["Close", "閉じる"],
  cancel: ["Cancel", "キャンセル"],
  start: ["Start", "開始"],
  "take-back": ["Take back", "待った"],
  resign: ["Resign", "投了"],
  resigned: ["You have resigned.", "投了しました。"],
  hint: ["Hint", "ヒント"],
  "hint-declare": ["The game can be won by declaration now.", "いま入玉宣言で勝てます。"],
  "swap-sides": ["Swap sides", "先後交代"],
  rematch: ["Rematch", "再戦"],
  declare: ["Declare a win", "入玉宣言"],
  pause: ["Pause", "一時停止"],
  "go-on": ["Go on", "再開"],
  undo: ["Undo", "元に戻す"],
  flip: ["Turn the board", "盤を反転"],
  "to-start": ["To the start", "最初へ"],
  back: ["One move back", "1手戻る"],
  forward: ["One move on", "1手進む"],
  "to-end": ["To the end", "最後へ"],
  moves: ["Moves", "指し手"],
  "start-position": ["Start", "開始局面"],
  actions: ["What can be done", "操作"],
  steps: ["Steps through the game", "棋譜の移動"],
  board: ["Board", "盤"],
  // Dice
  throw: ["Throw: {dice}", "出目:{dice}"],
  "throw-free": ["Throw: {dice}, any move", "出目:{dice}(自由)"],
  "throw-file": ["Throw: {dice}, to file {dice}", "出目:{dice}({dice}筋へ)"],
  "type-throw": ["What was thrown?", "出目を入力"],
  "choose-throw": ["Throw for this move", "この手の出目"],
  "no-throw": ["none", "なし"],
  // The dialog of a new game
  "which-game": ["Game", "ゲーム"],
  "begin-from": ["Start position", "開始局面"],
  "start-usual": ["usual", "通常"],
  "start-random": ["drawn by lot", "ランダム"],
  "start-symmetric": ["drawn by lot, the same for both", "ランダム(先後同形)"],
  "start-typed": ["typed in (SFEN)", "入力(SFEN)"],
  player: ["Player", "対局者"],
  level: ["Level", "強さ"],
  "level-full": ["full strength", "最強"],
  "level-elo": ["{elo} Elo: {word}", "Elo {elo}:{word}"],
  "level-0": ["random moves", "でたらめ"],
  "level-1": ["beginner", "入門"],
  "level-2": ["novice", "初級"],
  "level-3": ["intermediate", "中級"],
  "level-4": ["advanced", "上級"],
  "level-5": ["expert", "有段者"],
  "level-6": ["master", "高段者"],
  time: ["Time", "持ち時間"],
  "time-none": ["no clock", "時計なし"],
  "time-move": ["per move", "1手ごと"],
  "time-clock": ["clock", "対局時計"],
  "think-seconds": ["Engine, seconds a move", "エンジンの1手(秒)"],
  "move-seconds": ["Seconds a move", "1手の秒数"],
  "main-minutes": ["Main time, minutes", "持ち時間(分)"],
  "byoyomi-seconds": ["Byoyomi, seconds", "秒読み(秒)"],
  "increment-seconds": ["Increment, seconds", "加算(秒)"],
  dice: ["Dice", "サイコロ"],
  "dice-rolled": ["thrown here", "ここで振る"],
  "dice-typed": ["thrown by you, typed in", "自分で振って入力"],
  "level-note": [
    "Elo as measured in minishogi between levels; a player of random moves has 0.",
    "5五将棋でレベル同士を対戦させて測ったElo。でたらめに指す人が0。"],
  // Games kept
  "no-games": ["No games are kept yet.", "保存された棋譜はありません。"],
  open: ["Open", "開く"],
  rename: ["Name", "名前"],
  delete: ["Delete", "削除"],
  deleted: ["“{name}” is deleted.", "「{name}」を削除しました。"],
  "open-now": ["open now", "表示中"],
  plies: ["{plies} moves", "{plies}手"],
  "in-progress": ["in progress", "対局中"],
  unreadable: ["can't be read", "読めません"],
  "not-a-game": ["What was kept is not a game that this page can read ({what}).", "保存された内容は棋譜として読めません({what})。"],
  elsewhere: [
    "This game goes on in another tab. What is done here now is kept as another game.",
    "この対局は別のタブで続いています。ここでの変更は別の棋譜として保存されます。",
  ],
  "go-on-here": ["Go on here", "ここで続ける"],
  "cannot-open": ["The game can't be opened: {text}", "棋譜を開けません:{text}"],
  "storage-missing": [
    "This browser keeps nothing for this page: games are lost once it is closed.",
    "ブラウザーに保存できないため、ページを閉じると棋譜は失われます。"],
  "storage-full": [
    "The browser's storage is full: this game is not kept. Deleting old games makes room.",
    "保存領域が一杯のため、この棋譜は保存されません。古い棋譜を削除してください。"],
  // Settings
  language: ["Language", "言語"],
  theme: ["Colours", "配色"],
  "theme-auto": ["as the system", "システムに合わせる"],
  "theme-light": ["light", "ライト"],
  "theme-dark": ["dark", "ダーク"],
  "theme-contrast": ["high contrast", "ハイコントラスト"],
  pieces: ["Pieces", "駒"],
  "pieces-two": ["two kanji", "二文字"],
  "pieces-one": ["one kanji", "一文字"],
  "pieces-western": ["letters", "欧文"],
  coordinates: ["Coordinates", "座標"],
  yes: ["yes", "あり"],
  no: ["no", "なし"],
  threads: ["Threads", "スレッド数"],
  memory: ["Memory of an engine", "エンジンのメモリー"],
  "analysis-engine": ["Engine for analysis", "解析エンジン"],
  "this-page": ["this page's", "このページのもの"],
  // Trouble
  "engine-failed": ["The engine stopped: {text}", "エンジンが停止しました:{text}"],
  "lacks": ["This browser lacks what the page needs: {what}.", "このブラウザーには必要な機能がありません:{what}"],
  "lacks-engine": [
    "This browser has no Workers, in which engines think: people can play each other.",
    "このブラウザーにはWorkerがなく、エンジンは動きません。人同士の対局はできます。"],
  "cannot-load": ["The page can't be loaded: {text}", "ページを読み込めません:{text}"],
  "new-version": ["A new version is there.", "新しい版があります。"],
  reload: ["Reload", "再読み込み"],
  "skip-to-board": ["To the board", "盤へ"],
  about: [
    "Kogoma plays in this page itself: nothing is sent anywhere.",
    "Kogomaはこのページの中で動き、どこにも何も送りません。"],
  keys: ["Keys: ← → Home End step, f turns the board, h gives a hint.", "キー:← → Home End 移動、f 盤の反転、h ヒント。"],
});

/** The name of a side.
 * @param {number} side */
export const sideName = (side) => t(side ? "white" : "black");

/** What a game is called: one of one's own by its own name.
 * @param {string} name */
export const gameName = (name) => (hasWords(`game-${name}`) ? t(`game-${name}`) : name);

/** Why a game has ended, in words.
 * @param {Outcome} outcome  @param {import("../engine/game.js").Variant} variant  @returns {string} */
export function endText({ winner, reason }, variant) {
  const result = winner === null ? t("draw") : t("wins", { side: sideName(winner) });
  let key = `end-${reason}`;
  if (reason === "stalemate" && variant.stalemate_wins) key = "end-stalemate-wins";
  if (reason === "repetition" && winner !== null) key = "end-repetition-lost";
  if (reason === "perpetual_check" && variant.check_rule === "standing") key = "end-perpetual_check-standing";
  /** @type {{[name: string]: string}} */
  const sides = winner === null ? {} : { side: sideName(winner), other: sideName(1 - winner) };
  return t("result-with", { result, reason: t(key, { ...sides, plies: variant.max_plies }) });
}

/** A level in a word, by its Elo: from random moves (0) to master (6).
 * @param {number} elo */
export const levelWord = (elo) => t(`level-${[1, 500, 1000, 1550, 2050, 2500].filter((from) => elo >= from).length}`);
