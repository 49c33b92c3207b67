// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident;

import io.safebunny.message.Names;
import io.safebunny.observation.DetailsByType;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonCopy.Failure;
import io.safebunny.poison.PoisonedMessage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Says what production saw of a message, in paragraphs of a comment. Immutable. */
record Witness(DetailsByType details) {

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
        boolean isShown = details.of(message.type()).showsStoredTexts();
        seen.add(exception(message.exceptionType(), isShown ? message.exceptionMessage() : null));
        PoisonCopy.Stored record = copy.record();
        if (record != null) {
            Map<String, List<Failure>> alike = new LinkedHashMap<>();
            record.failures().forEach(failure -> alike.computeIfAbsent(
                            exception(failure.exception(), isShown ? failure.text() : null),
                            unused -> new ArrayList<>())
                    .add(failure));
            alike.forEach((exception, failures) -> seen.add(attempts(failures) + exception));
        }
        return seen;
    }

    private static String attempts(List<Failure> alike) {
        Failure last = alike.get(alike.size() - 1);
        String instance = last.instance().isEmpty() ? "" : " on instance " + last.instance();
        return alike.size() == 1
                ? "Attempt at %s%s, failed after %s ms: ".formatted(last.at(), instance, last.millis())
                : "%s attempts from %s to %s, the last%s, failed alike, the last after %s ms: "
                        .formatted(alike.size(), alike.get(0).at(), last.at(), instance, last.millis());
    }

    private static String exception(String type, @Nullable String text) {
        if (type.isEmpty()) {
            return "an exception that is not known.";
        }
        return text != null && !text.isEmpty() && !text.equals("null")
                ? "%s: %s".formatted(Names.printable(type), firstLine(String.valueOf(text)))
                : Names.printable(type);
    }

    private static String firstLine(String text) {
        return Names.printable(text.lines().findFirst().orElse(""), LONGEST);
    }
}
