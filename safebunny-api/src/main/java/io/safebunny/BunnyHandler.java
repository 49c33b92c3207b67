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
