// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.publish;

import com.rabbitmq.client.AMQP;
import io.safebunny.failure.NackedException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Distinguishes the publication that the broker refused from those that merely shared its channel. The broker refuses a publication by
 * closing the channel, without saying which one it was; this infers it from the reply text.
 */
final class Refusal {

    private static final Pattern TOO_LARGE = Pattern.compile("message size (\\d{1,18}) is larger");

    private Refusal() {}

    /** Whether the broker would refuse it again. False in doubt, because the others must be sent again. */
    static boolean isOf(Pending message, AMQP.Channel.Close close) {
        String text = close.getReplyText();
        return switch (close.getReplyCode()) {
            case AMQP.PRECONDITION_FAILED -> {
                Matcher size = TOO_LARGE.matcher(text);
                yield size.find() && message.size >= Long.parseLong(size.group(1));
            }
            case AMQP.ACCESS_REFUSED ->
                text.contains("exchange '" + nameOf(message.destination.exchange()) + "'")
                        && (!text.contains("topic '")
                                || text.contains("topic '" + message.destination.routingKey() + "'"));
            default -> false;
        };
    }

    static NackedException of(Pending message, AMQP.Channel.Close close) {
        return close.getReplyCode() == AMQP.PRECONDITION_FAILED
                ? NackedException.tooLarge(message.publication, close.getReplyText())
                : new NackedException(message.publication, close.getReplyText());
    }

    /** The exchange's name in the broker's replies. */
    private static String nameOf(String exchange) {
        return exchange.isEmpty() ? "amq.default" : exchange;
    }
}
