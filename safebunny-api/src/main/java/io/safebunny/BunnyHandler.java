// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a bean's method as the handler of one message type, which is the type of its payload parameter: the first parameter that
 * is neither a {@link MessageContext} nor annotated with Spring Messaging's {@code @Header} or {@code @Headers}.
 *
 * <p>A method that takes a {@code List} of messages handles batches, in one call and, if the store shares the handler's transactions, in
 * one transaction; it can take a {@code List<MessageContext>} beside it, in the same order. Each message keeps its own record, attempts and
 * fate: if the call fails, the batch is undone and split until those that fail are alone. Publish through the {@link
 * MessageContext#publisher()} of the message that causes it; {@link MessageContext#once} is refused.
 *
 * <p>The method returns {@code void}: when it returns, the message is done; when it throws, recovery begins. Up to {@link
 * #prefetch()} messages are handled at once, so the method must be thread-safe.
 *
 * <p>On a class it sets defaults for that class's annotated methods. Attributes that neither sets come from {@code safebunny.*}
 * properties. Every string may contain placeholders such as {@code ${billing.upstream}}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
public @interface BunnyHandler {

    /** Nodes whose publications of this type are consumed; at least one, here or on the class. */
    String[] from() default {};

    /**
     * How many messages of this type are handled at once; default {@code safebunny.listener.prefetch} (10). Raising it costs a
     * thread per message, and more redeliveries when the process dies.
     */
    String prefetch() default "";

    /**
     * How many waiting messages may share one transaction, each behind a savepoint; 1 to 32, default {@code
     * safebunny.listener.messages-per-transaction} (1: each has its own). Saves commits; locks are held until the last message of the
     * group is handled. Not for sagas; needs a store that shares transactions, such as PostgreSQL with a {@code JdbcTransactionManager}.
     */
    String messagesPerTransaction() default "";

    /**
     * How many waiting messages a method that takes a {@code List} of them gets in one call, at most; 1 to 200, default {@code
     * safebunny.listener.batch-size} (100). It never waits for more: a batch of one is normal. The {@link #prefetch()} of such a method is
     * twice this, unless it is set; messages that are handled alone use it, too, so that many calls may run at once after a restart.
     */
    String batchSize() default "";

    /**
     * How many messages of this type begin to be handled in a time, at most, on all instances of the node together: a whole number per {@code
     * s}, {@code min}, {@code h} or {@code d}, such as {@code 400/min}, {@code 100/10s} or {@code 1/h}, and at most 1,000 per second; {@code
     * none} for any number (the default). The property {@code safebunny.listener.rates.{type}} takes precedence. They begin evenly spaced, and
     * wait in place for up to a minute; in-memory retries count. Without a store that all instances share, each has the rate by itself. Not for
     * batches.
     */
    String rate() default "";

    /**
     * Whether messages with one order key take effect in the order in which one publisher has published them, whatever fails; needs a store.
     * The key is that of {@link BunnyMessage#orderBy} or {@link PublishOptions#withOrderKey}, or else the correlation id. Other keys do not
     * wait. A message that waits for its next attempt, and those of its key behind it, wait in the store, and take no place of the {@link
     * #prefetch()}. One instance consumes the type at a time. On a class it counts for all its handlers. Not for sagas, batches,
     * {@link #messagesPerTransaction()} or messages with a priority.
     *
     * <p>The queue of such a handler is {@code {node}-{Type}.in}. A type that has the other kind of queue is refused at the start: see
     * docs/order.md on how to switch it.
     */
    boolean ordered() default false;

    /**
     * Into how many shards the order keys of this type are divided, 1 to 256; by default they are not. The instance that consumes the type's
     * queue passes each message on to the shard of its key, {@code {node}-{Type}.0} and so on, and each shard is consumed by one instance, so
     * that all instances handle messages. The same on all instances; another number may be rolled out while the node runs. Each shard is
     * one more queue, and each message is stored by the broker twice. Only where {@link #ordered()} is set, and not for senders in {@code
     * safebunny.listener.trusted-users}. On a class it counts for all its handlers that set none.
     */
    String shards() default "";

    /**
     * Which of the {@link #shards()} this instance consumes: numbers from 0 and ranges, such as {@code 0-7} or {@code 0,3,8-11}; all by
     * default. Each shard needs an instance that listens to it: what is in others waits. Only where {@code shards} is set.
     */
    String listen() default "";

    /** What becomes of the messages behind one that was set aside. Only where {@link #ordered()} is set. */
    OnPoison onPoison() default OnPoison.HOLD;

    /** What becomes of messages with one order key when one of them is set aside. */
    enum OnPoison {
        /** Those behind it wait, in the store, until its copy in the poison queue is replayed and has been handled. */
        HOLD,
        /** Those behind it are handled without it. A replay handles it out of order. */
        SKIP
    }

    /** In-memory retries; a message being retried keeps its slot of the {@link #prefetch()}. Default {@code safebunny.retry.*}. */
    BunnyRetry retry() default @BunnyRetry;

    /**
     * Delays of the delayed retries, for example {@code {"10s", "1m", "10m"}}: one retry per element. {@code 0s} sends the
     * message straight to the end of the queue; {@code "none"} as the only element turns delayed retries off. Default {@code
     * safebunny.delayed-retry.delays}.
     */
    String[] delayedRetries() default {};

    /** Exceptions (including subtypes) that are retried; empty means all. */
    Class<? extends Throwable>[] retryFor() default {};

    /** Exceptions (including subtypes) that poison the message at once; takes precedence over {@link #retryFor()}. */
    Class<? extends Throwable>[] noRetryFor() default {};
}
