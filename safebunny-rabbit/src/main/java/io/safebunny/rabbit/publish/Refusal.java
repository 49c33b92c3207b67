// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.publish;

import com.rabbitmq.client.AMQP;
import io.safebunny.failure.NackedException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells the publications that the broker refuses from those that only shared a channel with them. The broker answers a
 * publication it cannot accept by closing the channel, and does not say which it was; its words say enough.
 */
final class Refusal {

    private static final Pattern TOO_LARGE = Pattern.compile("message size (\\d{1,18}) is larger");

    private Refusal() {}

    /** Whether sending it again would only close the next channel. In doubt no: the others must be sent again. */
    static boolean isOf(Pending message, AMQP.Channel.Close close) {
        String words = close.getReplyText();
        return switch (close.getReplyCode()) {
            case AMQP.PRECONDITION_FAILED -> {
                Matcher size = TOO_LARGE.matcher(words);
                yield size.find() && message.size >= Long.parseLong(size.group(1));
            }
            case AMQP.ACCESS_REFUSED ->
                words.contains("exchange '" + nameOf(message.destination.exchange()) + "'")
                        && (!words.contains("topic '")
                                || words.contains("topic '" + message.destination.routingKey() + "'"));
            default -> false;
        };
    }

    static NackedException of(Pending message, AMQP.Channel.Close close) {
        return close.getReplyCode() == AMQP.PRECONDITION_FAILED
                ? NackedException.tooLarge(message.publication, close.getReplyText())
                : new NackedException(message.publication, close.getReplyText());
    }

    /** As the broker calls it. */
    private static String nameOf(String exchange) {
        return exchange.isEmpty() ? "amq.default" : exchange;
    }
}
