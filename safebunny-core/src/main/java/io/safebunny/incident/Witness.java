// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident;

import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.message.Names;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonedMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Says what production saw of a message, in paragraphs of a comment. Immutable. */
record Witness(ExceptionDetails details) {

    private static final int LONGEST = 300;

    /** Of a copy in the poison queue. */
    List<String> of(PoisonCopy copy) {
        PoisonedMessage message = copy.message();
        List<String> seen = new ArrayList<>();
        seen.add("What production saw: %s %s was set aside at %s because of %s, with"
                .formatted(
                        Names.printable(message.type()),
                        Names.printable(message.messageId()),
                        Objects.requireNonNullElse(message.poisonedAt(), "a time that is not known"),
                        Names.printable(message.reason())));
        seen.add(exception(message.exceptionType(), message.exceptionMessage()));
        PoisonCopy.Stored record = copy.record();
        if (record != null) {
            record.failures()
                    .forEach(failure -> seen.add("Attempt at %s%s, failed after %s ms: %s"
                            .formatted(
                                    failure.at(),
                                    failure.instance().isEmpty() ? "" : " on instance " + failure.instance(),
                                    failure.millis(),
                                    exception(failure.exception(), failure.text()))));
        }
        return seen;
    }

    private String exception(String type, @Nullable String text) {
        if (type.isEmpty()) {
            return "an exception that is not known.";
        }
        boolean isShown = details == ExceptionDetails.FULL && text != null && !text.isEmpty() && !text.equals("null");
        return isShown
                ? "%s: %s".formatted(Names.printable(type), firstLine(String.valueOf(text)))
                : Names.printable(type);
    }

    private static String firstLine(String text) {
        return Names.printable(text.lines().findFirst().orElse(""), LONGEST);
    }
}
