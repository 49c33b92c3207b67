// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.publish;

import com.rabbitmq.client.AMQP;
import io.safebunny.failure.NackedException;
import io.safebunny.failure.PublishException.Publication;
import io.safebunny.time.Deadline;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A publication that waits for its confirm. Only the caller that removes it from {@link Unconfirmed} completes it, so it completes once.
 */
final class Pending {

    private static final Pattern TOO_LARGE = Pattern.compile("message size (\\d{1,18}) is larger");

    final Publication publication;
    final Destination destination;
    final int size;
    final CompletableFuture<Void> future;
    final Deadline deadline;

    /** The broker's reason for returning it; guarded by {@link Unconfirmed}. */
    @Nullable
    String returned;

    /** @param size of the body in bytes */
    Pending(
            Publication publication,
            Destination destination,
            int size,
            CompletableFuture<Void> future,
            Deadline deadline) {
        this.publication = publication;
        this.destination = destination;
        this.size = size;
        this.future = future;
        this.deadline = deadline;
    }

    /**
     * Whether the broker closed the channel because of this publication, and would refuse it again. The broker does not say which
     * publication of the channel it refused, so this is inferred from the reply text. False in doubt, because the other publications must
     * be sent again.
     */
    boolean isRefusedBy(AMQP.Channel.Close close) {
        String text = close.getReplyText();
        return switch (close.getReplyCode()) {
            case AMQP.PRECONDITION_FAILED -> {
                Matcher limit = TOO_LARGE.matcher(text);
                yield limit.find() && size >= Long.parseLong(limit.group(1));
            }
            case AMQP.ACCESS_REFUSED ->
                text.contains("exchange '" + exchangeInReplies() + "'")
                        && (!text.contains("topic '") || text.contains("topic '" + destination.routingKey() + "'"));
            default -> false;
        };
    }

    private String exchangeInReplies() {
        return destination.exchange().isEmpty() ? "amq.default" : destination.exchange();
    }

    NackedException refusal(AMQP.Channel.Close close) {
        return close.getReplyCode() == AMQP.PRECONDITION_FAILED
                ? NackedException.tooLarge(publication, close.getReplyText())
                : new NackedException(publication, close.getReplyText());
    }
}
