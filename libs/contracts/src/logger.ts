/** Takes the messages of libraries, which are silent without one. Pino and the console fit. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silentLogger: Logger = Object.freeze({ debug() {}, info() {}, warn() {}, error() {} });
