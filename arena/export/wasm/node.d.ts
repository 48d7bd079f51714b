// What the modules here use of Node, for the type checker, which then needs no other package.

declare class Buffer extends Uint8Array {
  static alloc(size: number): Buffer;
  static concat(parts: Uint8Array[]): Buffer;
  subarray(start?: number, end?: number): Buffer;
  indexOf(byte: number, start?: number): number;
  readUInt32LE(place: number): number;
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
  stdout: { write(text: string): void };
  stderr: { write(text: string): void };
};

declare function setImmediate(call: (nothing: null) => void): void;

declare module "node:fs" {
  export function readFileSync(descriptor: number): Buffer;
}

declare module "node:tty" {
  export function isatty(descriptor: number): boolean;
}

declare module "node:zlib" {
  export function inflateSync(data: Uint8Array): Buffer;
}
