/** What each operation takes and answers, read off the generated types. */
import type { Bytes } from './request-body.ts';
import type { operations } from './schema.gen.ts';

export type OperationId = keyof operations;

type Parameters<Id extends OperationId> = operations[Id]['parameters'];

/** A part that an operation does not have is left out; one that may be absent is optional. */
type Part<Name extends string, Value> = [Value] extends [undefined]
  ? unknown
  : undefined extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value };

type PathOf<Id extends OperationId> = Parameters<Id> extends { path: infer Path } ? Path : undefined;

/** A body that is no JSON is bytes. */
type BodyIn<Types> = Types extends { 'application/json': infer Body } ? Body : Bytes;

type BodyOf<Id extends OperationId> = operations[Id] extends { requestBody: { content: infer Types } }
  ? BodyIn<Types>
  : operations[Id] extends { requestBody?: { content: infer Types } }
    ? BodyIn<Types> | undefined
    : undefined;

/** What is asked for in the query of an operation: filters, sizes of pages. */
export type QueryOf<Id extends OperationId> = NonNullable<Parameters<Id>['query']>;

export type Input<Id extends OperationId> = Part<'path', PathOf<Id>> &
  Part<'query', Parameters<Id>['query']> &
  Part<'body', BodyOf<Id>>;

type Content<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses']]: operations[Id]['responses'][Status] extends {
    content: infer Types;
  }
    ? Types
    : undefined;
}[keyof operations[Id]['responses']];

type AnswerIn<Types> = Types extends { 'application/json': infer Body }
  ? Body
  : Types extends undefined
    ? undefined
    : string;

/** The JSON that an operation answers, its text, or undefined where it answers nothing. */
export type Answer<Id extends OperationId> = AnswerIn<Content<Id>>;

type KeysOf<Types> = Types extends unknown ? keyof Types : never;

/** Operations that answer with server-sent events. */
export type EventOperationId = {
  [Id in OperationId]: 'text/event-stream' extends KeysOf<Content<Id>> ? Id : never;
}[OperationId];

/** Those of them that answer with JSON as well: their events are those of one call, while it works. */
export type LiveOperationId = {
  [Id in EventOperationId]: 'application/json' extends KeysOf<Content<Id>> ? Id : never;
}[EventOperationId];

type EventIn<Types> = Types extends { 'text/event-stream': infer Event } ? Event : never;

type ToldIn<Event> = Event extends { event: infer Type; data: infer Data }
  ? { readonly type: Type; readonly data: Data }
  : never;

/** What such an operation tells where its events have no types. */
export type Piece<Id extends LiveOperationId> = EventIn<Content<Id>>;

/** What such an operation tells. */
export type Told<Id extends LiveOperationId> = ToldIn<EventIn<Content<Id>>>;

/** Operations that answer with a file, or lead to one. */
export type FileOperationId = {
  [Id in OperationId]: 302 extends keyof operations[Id]['responses']
    ? Id
    : 'application/octet-stream' extends KeysOf<Content<Id>>
      ? Id
      : never;
}[OperationId];
