/** A wheel that an index offers, as the index describes it; nothing of it has been checked. */
export interface OfferedWheel {
  fileName: string;
  /** Where to download it. */
  url: URL;
  /** Hexadecimal; absent if the index gives none. */
  sha256?: string;
  /** The versions of Python that it is for, as PEP 440 specifies them. */
  requiresPython?: string;
  /** Normalized names of what it needs, if the index says so; they take precedence over the wheel's own metadata. */
  depends?: readonly string[];
  /** Withdrawn: taken only if exactly this version is asked for. */
  isYanked: boolean;
}

/** Called while a file is downloaded; the total is absent if the server does not give it. */
export type OnProgress = (fileName: string, receivedBytes: number, totalBytes?: number) => void;

/** Where packages come from. */
export interface PackageIndex {
  /** Its address or folder, for messages, without credentials. */
  readonly name: string;
  /** What to do if it lacks a package. */
  readonly advice?: string;
  /** Every wheel of a package; empty if the index does not have it. */
  offers(packageName: string): Promise<OfferedWheel[]>;
  /** The bytes of one, not yet checked. */
  read(offer: OfferedWheel): Promise<Uint8Array>;
}

export interface IndexOptions {
  /** Cancels running requests. */
  signal: AbortSignal;
  onProgress: OnProgress;
}

/** A wheel larger than this is refused, wherever it comes from. */
export const maxWheelBytes = 200 * 1024 * 1024;
