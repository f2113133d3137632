/** Something that happens at a moment of virtual time. */
export type Task = {
  /** Milliseconds of virtual time. */
  readonly dueMs: number;
  /** Decides among tasks of one moment. */
  readonly order: number;
  readonly run: () => void;
};

/** The tasks to come, the next one first: a binary heap. */
export class TaskQueue<T extends Task> {
  readonly #heap: T[] = [];

  get size(): number {
    return this.#heap.length;
  }

  peek(): T | undefined {
    return this.#heap[0];
  }

  push(task: T): void {
    const heap = this.#heap;
    let at = heap.push(task) - 1;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = heap[parentAt] as T;
      if (isBefore(parent, task)) break;
      heap[at] = parent;
      at = parentAt;
    }
    heap[at] = task;
  }

  pop(): T | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let childAt = 2 * at + 1;
      if (childAt >= heap.length) break;
      const right = heap[childAt + 1];
      if (right !== undefined && isBefore(right, heap[childAt] as T)) childAt += 1;
      const child = heap[childAt] as T;
      if (isBefore(last, child)) break;
      heap[at] = child;
      at = childAt;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(one: Task, other: Task): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order);
}
