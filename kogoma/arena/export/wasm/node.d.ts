// Declarations of the parts of Node that these modules use, so that type-checking needs no other package.

declare class Buffer extends Uint8Array {
  static alloc(size: number): Buffer;
  static concat(parts: Uint8Array[]): Buffer;
  subarray(start?: number, end?: number): Buffer;
  indexOf(byte: number, start?: number): number;
  readUInt16LE(offset: number): number;
  readUInt32LE(offset: number): number;
  toString(encoding?: "utf8"): string;
}

interface Input {
  on(event: "data", heard: (data: Buffer) => void): void;
  on(event: "end" | "error", heard: () => void): void;
}

declare const process: {
  argv: string[];
  exitCode: number;
  stdin: Input;
  exit(code: number): never;
};

declare function setImmediate(call: (nothing: null) => void): void;

declare module "node:fs" {
  export function readFileSync(file: number | string): Buffer;
  export function writeSync(descriptor: number, text: string): void;
}

declare module "node:tty" {
  export function isatty(descriptor: number): boolean;
}

declare module "node:zlib" {
  export function inflateSync(data: Uint8Array): Buffer;
}
