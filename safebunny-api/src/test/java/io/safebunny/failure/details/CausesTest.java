// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.details;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class CausesTest {

    @Test
    void walksFromTheOutsideIn() {
        Exception root = new IllegalStateException("root");
        Exception middle = new SQLException("middle", root);
        Exception outer = new RuntimeException(middle);

        assertThat(Causes.of(outer)).containsExactly(outer, middle, root);
        assertThat(Causes.of(null)).isEmpty();
    }

    @Test
    void endsInACycle() {
        Exception one = new RuntimeException("one");
        Exception two = new RuntimeException("two", one);
        one.initCause(two);

        assertThat(Causes.of(one)).containsExactly(one, two);
    }

    @Test
    void endsWhereCausesDoNot() {
        assertThat(Causes.of(new Endless())).hasSize(100);
        assertThat(ExceptionDetails.TYPE_ONLY.of(new Endless())).isNotNull();
        assertThat(ExceptionDetails.FULL.of(new Endless())).isNotNull();
        StringWriter printed = new StringWriter();
        Printable.of(new Endless()).printStackTrace(new PrintWriter(printed));
        assertThat(printed.toString()).contains(Endless.class.getName());
    }

    @Test
    void endsWhereTheCauseCannotBeRead() {
        Exception unreadable = new RuntimeException("unreadable") {
            @Override
            public synchronized Throwable getCause() {
                throw new IllegalStateException("broken");
            }
        };

        assertThat(Causes.of(unreadable)).containsExactly(unreadable);
    }

    private static final class Endless extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public synchronized Throwable getCause() {
            return new Endless();
        }
    }
}
