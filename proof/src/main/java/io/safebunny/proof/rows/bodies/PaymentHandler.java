// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.bodies;

import io.safebunny.MessageContext;
import io.safebunny.PoisonMessageException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.proof.rows.bodies.Payment.Receipt;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.store.WorkTable;
import io.safebunny.time.Timeline;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * What an instance does with {@link Payment}s: a row, and a receipt; the first attempt of one in fifty fails after that. With {@link Note}s: a row. Thread-safe.
 *
 * @param work in the transaction of the message
 * @param node publishes
 */
record PaymentHandler(BodyOptions options, WorkTable work, Node node, Timeline timeline) {

    private static final int PREFETCH = 10;
    private static final int FAILING = 50;
    private static final RecoveryPolicy POLICY = RecoveryPolicy.of(
            RetryStrategy.none(), new RetryStrategy(List.of(Duration.ofMillis(200), Duration.ofSeconds(1)), 0));

    List<HandlerDefinition> definitions() {
        return List.of(
                definition(
                        Payment.TYPE,
                        Payment.VERSIONS.get(options.version() - 1),
                        (payload, context) -> handle((Payment) payload, context)),
                definition(
                        Note.class.getSimpleName(),
                        Note.class,
                        (payload, context) -> add(((Note) payload).number(), context)));
    }

    private HandlerDefinition definition(String type, Class<?> payload, HandlerInvoker handler) {
        return new HandlerDefinition("proof", type, payload, List.of(options.from()), PREFETCH, POLICY, handler);
    }

    private void add(int number, MessageContext context) {
        long waited = Duration.between(context.sentAt(), timeline.now()).toSeconds();
        work.add(order(options.from(), number), new Run(options.version(), waited).toText());
    }

    private void handle(Payment payment, MessageContext context) throws IOException {
        int number = payment.number();
        if (!payment.holder().equals(Payment.holder(number))) {
            throw new PoisonMessageException("not the holder that was sent");
        }
        add(number, context);
        node.bunny().publish(new Receipt(number));
        if (number % FAILING == 1 && context.attempt() == 0) {
            throw new IOException("as the proof wants");
        }
    }

    /** Of a payment, in the table: its publisher's name is that of one row's run. */
    static String order(String from, int number) {
        return from + '/' + number;
    }

    /**
     * What is in the table.
     *
     * @param version of the instance
     * @param waited since the message was sent, in seconds
     */
    record Run(int version, long waited) {

        String toText() {
            return version + " " + waited;
        }

        static Run of(String text) {
            String[] parts = text.split(" ", -1);
            return new Run(Integer.parseInt(parts[0]), Long.parseLong(parts[1]));
        }
    }
}
