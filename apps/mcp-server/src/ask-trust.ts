import {
  describeRequest,
  type ProjectFile,
  type ProjectRequest,
  readProject,
  trustFiles,
} from '@code-executor/config';
import { CodeExecutorError, type Logger } from '@code-executor/contracts';

/** Asks the person who uses the client; true if they agree. */
export type AskUser = (question: string) => Promise<boolean>;

/** A longer request is not asked in a dialogue, because a person must be able to read all of it. */
const maxQuestionChars = 4000;

export interface TrustQuestionOptions {
  configFile: string | undefined;
  /** Called when the person has approved the files. */
  onTrusted: () => Promise<void>;
  logger: Logger;
}

/**
 * Asks in the background whether the files of the working directory are trusted, once for each content of the files. There
 * is one question at a time, so that a program that keeps rewriting the files cannot flood the user with questions.
 */
export class TrustQuestion {
  readonly #options: TrustQuestionOptions;
  readonly #asked = new Set<string>();
  #isAsking = false;

  constructor(options: TrustQuestionOptions) {
    this.#options = options;
  }

  /** Asks if some of these files are not trusted yet; returns at once. */
  consider(files: readonly ProjectFile[], askUser: AskUser | undefined): void {
    const waiting = files.filter((file) => !file.isTrusted).map(({ path, sha256 }) => `${sha256} ${path}`);
    const content = waiting.join('\n');
    if (!askUser || waiting.length === 0 || this.#isAsking || this.#asked.has(content)) return;
    this.#asked.add(content);
    this.#isAsking = true;
    this.#ask(askUser)
      .catch((error: unknown) => {
        this.#options.logger.warn({ err: error }, 'The user was not asked whether the project is trusted.');
      })
      .finally(() => (this.#isAsking = false));
  }

  async #ask(askUser: AskUser): Promise<void> {
    const { configFile, onTrusted, logger } = this.#options;
    const request = await readProject(configFile === undefined ? {} : { file: configFile });
    const question = questionFor(request);
    if (question === undefined || !(await askUser(question))) return;
    try {
      // These are the files that were shown, even if they have changed since.
      await trustFiles(request.files);
    } catch (error) {
      logger.warn({}, `The approval is not remembered: ${CodeExecutorError.from(error).message}`);
      return;
    }
    logger.info({ folder: request.folder }, 'The user trusts the project.');
    await onTrusted();
  }
}

/** Undefined if there is nothing that a dialogue could approve. */
function questionFor(request: ProjectRequest): string | undefined {
  const { folder, servers, settings, problems } = request;
  if (servers.length + settings.length === 0 || problems.length > 0) return undefined;
  const question = `Do you trust the project in ${folder}? Its files ask Code Executor for this:\n\n${describeRequest(request)}\nYour approval holds until one of these files changes.`;
  return question.length > maxQuestionChars ? undefined : question;
}
