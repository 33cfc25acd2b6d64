/** Where libraries report; silence is the default. Pino and the console fit. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silentLogger: Logger = Object.freeze({ debug() {}, info() {}, warn() {}, error() {} });
