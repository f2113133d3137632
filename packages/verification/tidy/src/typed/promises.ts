import type { Expression, Node } from "typescript/unstable/ast";
import {
  isArrowFunction,
  isAwaitExpression,
  isBlock,
  isCallExpression,
  isExpressionStatement,
  isForOfStatement,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isMethodDeclaration,
  isNewExpression,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isReturnStatement,
  isThrowStatement,
  isTryStatement,
  isVariableDeclaration,
  isVariableStatement,
  isVoidExpression,
} from "typescript/unstable/ast/is";
import { SignatureKind, type Type, TypeFlags } from "typescript/unstable/sync";
import type { Finding } from "../source.ts";
import { findingOf, shown, type TypedFile, type TypedProgram, visitNodes } from "./program.ts";

/**
 * Finds promises with unhandled rejections: a promise that is left with `void` or as a statement,
 * the result of a callback whose caller ignores it, and a promise in a variable while another is
 * awaited. Handlers are `.catch` and `.then` with two callbacks; `.finally` passes the rejection
 * on. In a callback and in a variable, a function that handles every rejection within itself is
 * safe too.
 */
export function unhandledPromises(
  program: TypedProgram,
  wanted: (path: string) => boolean,
): Finding[] {
  const findings: Finding[] = [];
  for (const file of program.files(wanted)) {
    const { left, callbacks, kept } = candidates(file.node);
    // A function that handles its own rejections today may stop doing so. Its caller therefore
    // needs a handler.
    const loose = promisesAmong(program, left).filter(
      (node) => !isHandled(program, node, depthMax),
    );
    for (const node of loose) {
      findings.push(findingOf(file, node, "a promise with an unhandled rejection"));
    }
    for (const node of ignoredCallbacks(program, callbacks)) {
      findings.push(findingOf(file, node, "its caller ignores the promise of this callback"));
    }
    const early = promisesAmong(program, kept).filter((node) => !isHandled(program, node));
    for (const node of early.filter((each) => isAwaitedLate(each, file))) {
      findings.push(
        findingOf(file, node, "held across an await: it may reject before it is awaited"),
      );
    }
  }
  return findings;
}

/** The expressions of a file that may leave a promise unhandled. */
function candidates(root: Node) {
  const [left, callbacks, kept]: [Node[], Node[], Node[]] = [[], [], []];
  visitNodes(root, (node) => {
    if (isVoidExpression(node)) left.push(node.expression);
    else if (isExpressionStatement(node) && isCallExpression(node.expression)) {
      left.push(node.expression);
    } else if (isVariableDeclaration(node) && isIdentifier(node.name) && node.initializer) {
      kept.push(node.initializer);
    }
    if (isCallExpression(node) || isNewExpression(node)) {
      callbacks.push(...(node.arguments ?? []).filter(mayBeFunction));
    } else if (isPropertyAssignment(node) && mayBeFunction(node.initializer)) {
      callbacks.push(node.initializer);
    }
  });
  return { left, callbacks, kept };
}

const mayBeFunction = (node: Node): boolean =>
  isArrowFunction(node) ||
  isFunctionExpression(node) ||
  isIdentifier(node) ||
  isPropertyAccessExpression(node);

function promisesAmong({ typesOf }: TypedProgram, nodes: readonly Node[]): Node[] {
  const types = typesOf(nodes);
  return nodes.filter((_node, at) => isPromise(types[at]));
}

function isPromise(type: Type | undefined): boolean {
  if (type === undefined) return false;
  if (type.isUnionType()) return (shown(() => type.getTypes()) ?? []).some(isPromise);
  return /^Promise(?:Like)?$/.test(shown(() => type.getSymbol())?.name ?? "");
}

/** Functions that return a promise, passed as a function that returns nothing. */
function ignoredCallbacks(program: TypedProgram, nodes: readonly Node[]): Node[] {
  const { checker, typesOf } = program;
  const returned = (type: Type | undefined): Type[] =>
    type === undefined
      ? []
      : (shown(() => checker.getSignaturesOfType(type, SignatureKind.Call)) ?? []).flatMap(
          (signature) => shown(() => checker.getReturnTypeOfSignature(signature)) ?? [],
        );
  const types = typesOf(nodes);
  return nodes.filter((node, at) => {
    if (!returned(types[at]).some(isPromise)) return false;
    const wanted = shown(() => checker.getContextualType(node as Expression));
    const results = returned(wanted);
    if (!results.some(({ flags }) => flags & TypeFlags.Void) || results.some(isPromise))
      return false;
    return !neverRejects(program, functionOf(program, node));
  });
}

/** True if an expression ends in a handler of its rejection, or can't reject. */
function isHandled(program: TypedProgram, node: Node, depth = 0): boolean {
  if (isParenthesizedExpression(node)) return isHandled(program, node.expression, depth);
  if (!isCallExpression(node)) return isAwaitExpression(node);
  const { expression: callee, arguments: given } = node;
  if (isPropertyAccessExpression(callee)) {
    const { text: name } = callee.name;
    if (name === "catch") return given.length > 0;
    if (name === "then" && given.length > 1) return true;
    if (name === "finally") return isHandled(program, callee.expression, depth);
    if (name === "allSettled") return true;
  }
  return depth < depthMax && neverRejects(program, functionOf(program, callee), depth + 1);
}

/** Maximum depth to which functions that call each other are followed. */
const depthMax = 4;

/** The function that an expression names or contains; `undefined` if it is not in the code. */
function functionOf({ checker }: TypedProgram, node: Node): Node | undefined {
  if (isArrowFunction(node) || isFunctionExpression(node)) return node;
  const name = isPropertyAccessExpression(node) ? node.name : node;
  const declaration = shown(() => checker.getSymbolAtLocation(name))?.valueDeclaration?.resolve();
  if (declaration === undefined) return undefined;
  const isFunction = isFunctionDeclaration(declaration) || isMethodDeclaration(declaration);
  if (isFunction) return declaration;
  if (isVariableDeclaration(declaration) || isPropertyAssignment(declaration)) {
    const { initializer } = declaration;
    if (initializer && (isArrowFunction(initializer) || isFunctionExpression(initializer))) {
      return initializer;
    }
  }
  return undefined;
}

/**
 * True if a function handles every promise that it awaits, throws or returns. Any other exception
 * is a bug, and the process's own handler logs it.
 */
function neverRejects(program: TypedProgram, declared: Node | undefined, depth = 0): boolean {
  if (declared === undefined) return false;
  const body = (declared as { readonly body?: Node }).body;
  if (body === undefined) return false;
  if (!isBlock(body)) return isHandled(program, body, depth);
  let isSafe = true;
  const visit = (node: Node): void => {
    if (isTryStatement(node) && node.catchClause !== undefined) {
      visit(node.catchClause.block);
      if (node.finallyBlock !== undefined) visit(node.finallyBlock);
      return;
    }
    if (isFunctionLike(node)) return;
    if (isThrowStatement(node)) isSafe = false;
    if (isAwaitExpression(node) && !isHandled(program, node.expression, depth)) isSafe = false;
    if (isReturnStatement(node) && node.expression !== undefined) {
      const [promise] = promisesAmong(program, [node.expression]);
      if (promise !== undefined && !isHandled(program, promise, depth)) isSafe = false;
    }
    if (isAwaitingLoop(node)) isSafe = false;
    node.forEachChild((child) => {
      visit(child);
      return undefined;
    });
  };
  visit(body);
  return isSafe;
}

const isAwaitingLoop = (node: Node): boolean =>
  isForOfStatement(node) && node.awaitModifier !== undefined;

const isFunctionLike = (node: Node): boolean =>
  isArrowFunction(node) ||
  isFunctionExpression(node) ||
  isFunctionDeclaration(node) ||
  isMethodDeclaration(node);

/**
 * True if a statement awaits something else before the first statement that names a kept promise.
 */
function isAwaitedLate(initializer: Node, { text, node: file }: TypedFile): boolean {
  const { parent: declaration } = initializer;
  const statement = declaration.parent.parent;
  if (!isVariableDeclaration(declaration) || !isVariableStatement(statement)) return false;
  const name = (declaration.name as { readonly text?: string }).text ?? "";
  const { statements } = statement.parent as { readonly statements?: Iterable<Node> };
  const after = [...(statements ?? [])].filter(({ pos }) => pos > statement.pos);
  const names = new RegExp(`(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`);
  const next = after.find(
    (each) => names.test(text.slice(each.getStart(file), each.end)) || awaits(each),
  );
  return next !== undefined && !names.test(text.slice(next.getStart(file), next.end));
}

/** True if a statement awaits something itself, not in a nested function. */
function awaits(node: Node): boolean {
  if (isAwaitExpression(node) || isAwaitingLoop(node)) return true;
  if (isFunctionLike(node)) return false;
  return node.forEachChild((child) => (awaits(child) ? true : undefined)) === true;
}
