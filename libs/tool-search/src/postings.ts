/** The tools that have a term: their numbers in ascending order, with the term's weight in each. */
export class Postings {
  readonly tools: number[] = [];
  readonly weights: number[] = [];

  /** Adds to the term's weight in a tool; tools come in ascending order. */
  add(tool: number, weight: number): void {
    const last = this.tools.length - 1;
    if (this.tools[last] === tool) this.weights[last] = (this.weights[last] ?? 0) + weight;
    else {
      this.tools.push(tool);
      this.weights.push(weight);
    }
  }
}
