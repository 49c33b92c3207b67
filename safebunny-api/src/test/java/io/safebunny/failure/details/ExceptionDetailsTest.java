// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.details;

import static io.safebunny.failure.details.ExceptionDetails.FULL;
import static io.safebunny.failure.details.ExceptionDetails.TYPE_ONLY;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.failure.InvalidPublicationException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class ExceptionDetailsTest {

    private static final String SECRET = "Alice, card 4111";

    private static String printed(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    @Test
    void leavesOutEveryTextAndKeepsClassesAndPlaces() {
        IllegalStateException failure = new IllegalStateException(
                SECRET, new SQLException("Failing row contains (" + SECRET + ")", new Exception(SECRET)));
        failure.addSuppressed(new IllegalArgumentException(SECRET));

        Throwable told = TYPE_ONLY.of(failure);

        assertThat(printed(failure)).contains(SECRET);
        assertThat(printed(told) + told.getMessage() + told.getLocalizedMessage())
                .doesNotContain("Alice", "4111", "Failing row", "Textless")
                .contains(
                        "java.lang.IllegalStateException at",
                        "Caused by: java.sql.SQLException at",
                        "Caused by: java.lang.Exception",
                        "Suppressed: java.lang.IllegalArgumentException",
                        "ExceptionDetailsTest.java");
    }

    @Test
    void keepsOurCode() {
        assertThat(TYPE_ONLY.of(new InvalidPublicationException(SECRET)).toString())
                .startsWith("SB-2005 io.safebunny.failure.InvalidPublicationException at ")
                .doesNotContain(SECRET);
    }

    @Test
    void endsWhereCausesGoRoundInACircle() {
        IllegalStateException one = new IllegalStateException(SECRET);
        IllegalStateException other = new IllegalStateException(SECRET, one);
        one.initCause(other);
        one.addSuppressed(other);

        assertThat(printed(TYPE_ONLY.of(one))).doesNotContain(SECRET);
    }

    @Test
    void takesExceptionsWhoseMethodsThrow() {
        RuntimeException failure = new RuntimeException() {
            private static final long serialVersionUID = 1;

            @Override
            public String getMessage() {
                throw new NullPointerException(SECRET);
            }

            @Override
            public synchronized Throwable getCause() {
                throw new NullPointerException(SECRET);
            }

            @Override
            public StackTraceElement[] getStackTrace() {
                throw new NullPointerException(SECRET);
            }
        };

        assertThat(printed(TYPE_ONLY.of(failure)))
                .contains("ExceptionDetailsTest$1")
                .doesNotContain(SECRET);
    }

    @Test
    void tellsEverythingUnlessAskedNotTo() {
        IllegalStateException failure = new IllegalStateException(SECRET);

        assertThat(FULL.of(failure)).isSameAs(failure);
    }
}
