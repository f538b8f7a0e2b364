/** Request and response types of each operation, derived from the generated types. */
import type { Bytes } from './request-body.ts';
import type { operations } from './schema.gen.ts';

export type OperationId = keyof operations;

type Parameters<Id extends OperationId> = operations[Id]['parameters'];

/** Leaves out a part that an operation does not have, and makes one optional that may be absent. */
type Part<Name extends string, Value> = [Value] extends [undefined]
  ? unknown
  : undefined extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value };

type PathOf<Id extends OperationId> = Parameters<Id> extends { path: infer Path } ? Path : undefined;

/** A body that is not JSON is bytes. */
type BodyIn<Types> = Types extends { 'application/json': infer Body } ? Body : Bytes;

type BodyOf<Id extends OperationId> = operations[Id] extends { requestBody: { content: infer Types } }
  ? BodyIn<Types>
  : operations[Id] extends { requestBody?: { content: infer Types } }
    ? BodyIn<Types> | undefined
    : undefined;

/** Query parameters of an operation: filters, page sizes. */
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

type ResponseIn<Types> = Types extends { 'application/json': infer Body }
  ? Body
  : Types extends undefined
    ? undefined
    : string;

/** JSON or text of an operation's response; undefined for an empty response. */
export type ResponseBody<Id extends OperationId> = ResponseIn<Content<Id>>;

type KeysOf<Types> = Types extends unknown ? keyof Types : never;

/** Operations that respond with server-sent events. */
export type EventOperationId = {
  [Id in OperationId]: 'text/event-stream' extends KeysOf<Content<Id>> ? Id : never;
}[OperationId];

/** Operations that support both events and JSON: their events report the progress of one call. */
export type LiveOperationId = {
  [Id in EventOperationId]: 'application/json' extends KeysOf<Content<Id>> ? Id : never;
}[EventOperationId];

type EventIn<Types> = Types extends { 'text/event-stream': infer Event } ? Event : never;

type LiveEventIn<Event> = Event extends { event: infer Type; data: infer Data }
  ? { readonly type: Type; readonly data: Data }
  : never;

/** Untyped events of such an operation. */
export type Piece<Id extends LiveOperationId> = EventIn<Content<Id>>;

/** Typed events of such an operation. */
export type LiveEvent<Id extends LiveOperationId> = LiveEventIn<EventIn<Content<Id>>>;

/** Operations that respond with a file, or redirect to one. */
export type FileOperationId = {
  [Id in OperationId]: 302 extends keyof operations[Id]['responses']
    ? Id
    : 'application/octet-stream' extends KeysOf<Content<Id>>
      ? Id
      : never;
}[OperationId];
