// What is said about records.

import { addWords } from "../words.js";

addWords({
  "records.wide": ["{count} squares in this rank, where the board has {files}", "この段は{count}マスですが、盤は{files}マスです"],
  "records.piece": ["the game has no piece “{piece}”", "この将棋に「{piece}」という駒はありません"],
  "records.hand": ["“{piece}” can't be in hand", "「{piece}」を持駒にできません"],
  "records.line": ["can't read “{text}”", "「{text}」を読めません"],
  "records.branch": ["a variation at move {number}, which the line before does not reach", "{number}手目の変化ですが、前の手順はそこまで続いていません"],
  "records.illegal": ["“{move}” can't be played here: {why}", "「{move}」は指せません: {why}"],
  "records.move": ["“{move}” is no move", "「{move}」は指し手ではありません"],
  "records.same": ["同 at the first move, where nothing has moved yet", "最初の手に「同」は使えません"],
  "records.from": ["“{move}” does not tell where the piece comes from", "「{move}」に移動元がありません"],
  "records.origin": ["on {square} there is no {piece}", "{square} に {piece} はありません"],
  "records.at": ["Line {line}: {text}.", "{line}行目: {text}"],
  "records.kept": ["The {plies} moves before it were read.", "その前の{plies}手まで読み込みました。"],
  "records.nothing": ["no game in this text", "棋譜がありません"],
  "records.unknownGame": ["no game is played on this board", "この盤の将棋はありません"],
  "records.word": ["“{word}” is not understood: position, sfen or moves expected", "「{word}」は不明です（position、sfen、moves のいずれか）"],
  "records.encoding": ["the file is neither UTF-8 nor Shift_JIS", "ファイルは UTF-8 でも Shift_JIS でもありません"],
  "records.tooLong": ["the text is longer than {most} characters", "{most}文字を超えています"],
  "records.address": ["this address holds no game: {why}", "このアドレスに棋譜はありません: {why}"],
  "records.addressVariant": ["there is no game “{name}”", "「{name}」という将棋はありません"],
  "records.addressText": ["its moves can't be read", "指し手を読めません"],
  "records.addressMove": ["move {number} is not legal", "{number}手目は指せません"],
  "records.addressThrow": ["its throws can't be read", "サイコロの目を読めません"],
  "records.addressPly": ["it has no move {ply}", "{ply}手目はありません"],
});

export { t } from "../words.js";
