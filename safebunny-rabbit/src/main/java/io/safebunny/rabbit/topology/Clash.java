// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

import io.safebunny.failure.ConfigurationException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A queue or exchange that exists with other arguments than requested, read from the broker's reply.
 *
 * @param kind queue or exchange
 * @param argument that differs, such as {@code x-queue-type}
 * @param wanted value that this node asks for; {@code null} if it asks for none
 * @param found value on the broker; {@code null} if it has none
 */
record Clash(
        String kind,
        String name,
        String argument,
        @Nullable String wanted,
        @Nullable String found) {

    private static final Pattern WORDS = Pattern.compile(
            "inequivalent arg '([^']+)' for (queue|exchange) '(.+)' in vhost '.*': received (.+) but current is (.+)");

    /** Suffix of the poison exchange's name. */
    private static final String POISON = ".poison";

    private static final String ARCHIVE_TTL = "safebunny.poison.archive-ttl";

    private static final String POISON_LENGTH = "safebunny.poison.max-length";

    /** A value in the reply; for some arguments with its type. */
    private static final Pattern VALUE = Pattern.compile("(?:the value )?'(.*?)'(?: of type '[^']*')?");

    /** Parses the broker's reply; {@code null} if it is about something else. */
    static @Nullable Clash of(String brokersWords) {
        Matcher words = WORDS.matcher(brokersWords);
        return words.find()
                ? new Clash(
                        words.group(2), words.group(3), words.group(1), value(words.group(4)), value(words.group(5)))
                : null;
    }

    private static @Nullable String value(String words) {
        Matcher value = VALUE.matcher(words);
        return value.matches() ? value.group(1) : words.startsWith("none") ? null : words;
    }

    ConfigurationException toException(Throwable cause) {
        String property = property();
        return new ConfigurationException(
                "SB-1201",
                "The %s '%s' exists on the broker %s, and this node asks for %s%s. Nothing was changed."
                        .formatted(
                                kind,
                                name,
                                isOfOtherType()
                                        ? "as a %s queue (%s)".formatted(type(found), described(found))
                                        : "with " + described(found),
                                isOfOtherType() ? "a %s queue".formatted(type(wanted)) : described(wanted),
                                property == null ? "" : " (" + property + ")"),
                property == null ? begun(anew()) : setting(property) + ", or " + anew(),
                cause);
    }

    private String described(@Nullable String value) {
        return value == null ? "no " + argument : argument + "=" + value;
    }

    /**
     * Whether the queue has another type. The broker reports only the first argument that differs, often one that exists for only one type
     * of queue.
     */
    private boolean isOfOtherType() {
        return switch (argument) {
            case "x-queue-type" -> true;
            case "x-overflow", "x-dead-letter-strategy", "x-delivery-limit" ->
                !name.endsWith("-dead-letters") && !isBoundOfPoison() && (found == null || wanted == null);
            default -> false;
        };
    }

    /**
     * Whether the clash is about the maximum length of a poison queue: the queue has an overflow argument only together with a maximum
     * length.
     */
    private boolean isBoundOfPoison() {
        return name.endsWith("-poison") && argument.equals("x-overflow");
    }

    private boolean isArchive() {
        return name.endsWith("-poison-archive");
    }

    private String type(@Nullable String value) {
        return argument.equals("x-queue-type") && value != null ? value : value == null ? "classic" : "quorum";
    }

    /** The SafeBunny property that sets the argument; {@code null} if none does. */
    private @Nullable String property() {
        if (kind.equals("exchange")) {
            return argument.equals("type") && name.endsWith(".delayed") ? "safebunny.delay.strategy" : null;
        }
        if (isShared()) {
            return null;
        }
        return switch (argument) {
            case "x-message-ttl" -> !isArchive() ? "safebunny.poison.ttl" : found == null ? null : ARCHIVE_TTL;
            case "x-max-length" -> POISON_LENGTH;
            case "x-dead-letter-exchange" ->
                found != null && found.endsWith(POISON) ? "safebunny.topology.prefix" : null;
            case "x-delivery-limit" ->
                isOfOtherType() ? "safebunny.topology.queue-type" : "safebunny.topology.delivery-limit";
            case "x-overflow" ->
                isBoundOfPoison() ? POISON_LENGTH : isOfOtherType() ? "safebunny.topology.queue-type" : null;
            default -> isOfOtherType() ? "safebunny.topology.queue-type" : null;
        };
    }

    /** Whether all nodes declare this queue alike, independent of their configuration. */
    private boolean isShared() {
        return name.endsWith(".unrouted") || name.contains(".delayed.");
    }

    /** The advice how to configure the node so that it matches the broker. */
    private String setting(String property) {
        return switch (property) {
            case "safebunny.delay.strategy" ->
                "Set " + property + (String.valueOf(found).contains("x-delayed") ? "=plugin" : "=ladder");
            case "safebunny.topology.queue-type" -> "Set " + property + "=" + type(found);
            case ARCHIVE_TTL -> "Set " + property + "=" + found + "ms";
            case "safebunny.poison.ttl" ->
                found == null ? "Remove " + property : "Set " + property + "=" + found + "ms";
            case POISON_LENGTH ->
                found == null
                        ? "Remove " + property
                        : isBoundOfPoison()
                                ? "Set " + property + " to the x-max-length of the existing queue"
                                : "Set " + property + "=" + found;
            case "safebunny.topology.prefix" ->
                "Set " + property + "=" + String.valueOf(found).replace(POISON, "");
            default -> "Set " + property + "=" + found;
        };
    }

    private String anew() {
        return kind.equals("queue")
                ? "stop its publishers, move its messages elsewhere or let it drain, and delete it (rabbitmqctl delete_queue %s); the next start declares it again."
                        .formatted(name)
                : "delete it on the broker while nothing is published or delayed; the next start declares it again.";
    }

    private static String begun(String sentence) {
        return Character.toUpperCase(sentence.charAt(0)) + sentence.substring(1);
    }
}
