// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.order;

import io.safebunny.BunnyMessage;
import io.safebunny.BunnyMessage.Expired;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.proof.store.WorkTable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Messages with a deadline, one class for each way of ending, and what a node does with them: a row in the transaction of the message's record.
 * Thread-safe.
 *
 * @param from name of the node that publishes them
 * @param random says which attempts fail, one in four; {@code null} if none does
 */
record Expiring(String from, WorkTable work, @Nullable Random random) {

    static final String HANDLED = "handled";
    static final String TOLD = "told";

    private static final int PREFETCH = 10;
    private static final RecoveryPolicy POLICY =
            RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(10, Duration.ofMillis(700)));

    /** Is set aside. */
    record Quote(String id) {}

    /** Is dropped. */
    @BunnyMessage(expired = Expired.DROP)
    record Price(String id) {}

    /** Is told to a method. */
    record Offer(String id) {}

    static Object message(int number) {
        String id = String.valueOf(number);
        return switch (number % 3) {
            case 0 -> new Quote(id);
            case 1 -> new Price(id);
            default -> new Offer(id);
        };
    }

    List<HandlerDefinition> handlers() {
        return List.of(
                handler(Quote.class),
                handler(Price.class),
                handler(Offer.class).withOnExpired((payload, context) -> end(context.messageId(), TOLD)));
    }

    private HandlerDefinition handler(Class<?> type) {
        return new HandlerDefinition(
                "proof",
                type.getSimpleName(),
                type,
                List.of(from),
                PREFETCH,
                POLICY,
                (payload, context) -> end(context.messageId(), HANDLED));
    }

    private void end(String message, String how) throws IOException {
        work.add(message, how);
        if (random != null && random.nextInt(4) == 0) {
            throw new IOException("as the proof wants");
        }
    }
}
