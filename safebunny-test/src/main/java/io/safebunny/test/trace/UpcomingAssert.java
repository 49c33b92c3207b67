// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.trace;

import io.safebunny.message.MessageTypes;
import io.safebunny.test.harness.Happening;
import java.time.Duration;
import java.util.Comparator;
import org.assertj.core.api.AbstractAssert;

/** Assertions on the application's future work. A failure prints all of it. */
public final class UpcomingAssert extends AbstractAssert<UpcomingAssert, Upcoming> {

    UpcomingAssert(Upcoming actual) {
        super(actual, UpcomingAssert.class);
    }

    /** A message of the type comes later; of several, the first is checked. */
    public Next next(Class<?> type) {
        return next(MessageTypes.nameOf(type));
    }

    /** Expects a saga's timeout to come. If several have this name, checks the first. */
    public Next nextTimeout(String name) {
        return next(SetTimeouts.name(name));
    }

    private Next next(String name) {
        isNotNull();
        Happening first = actual.later().stream()
                .filter(one -> one.type().equals(name))
                .min(Comparator.comparing(actual::until))
                .orElse(null);
        if (first == null) {
            throw failure("%s", "no %s comes later, but%n%s".formatted(name, actual));
        }
        return new Next(name, first);
    }

    /** Nothing comes later. */
    public UpcomingAssert isEmpty() {
        isNotNull();
        if (!actual.later().isEmpty()) {
            failWithMessage("%s", "nothing was to come later, but%n%s".formatted(actual));
        }
        return this;
    }

    /** Assertions on one message or timeout. */
    public final class Next {

        private final String name;
        private final Happening next;

        private Next(String name, Happening next) {
            this.name = name;
            this.next = next;
        }

        /** It comes after this duration. The library's own delays in this test, such as before retries, do not count. */
        public UpcomingAssert in(Duration expected) {
            Duration until = actual.until(next);
            if (until.compareTo(expected) > 0 || until.compareTo(expected.minus(actual.waited())) < 0) {
                failWithMessage(
                        "%s",
                        "%s comes in %s, and not in %s%n%s"
                                .formatted(name, Happening.text(until), Happening.text(expected), actual));
            }
            return UpcomingAssert.this;
        }
    }
}
