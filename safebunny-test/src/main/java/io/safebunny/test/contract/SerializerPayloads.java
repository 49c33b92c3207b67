// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Payloads of {@link MessageSerializerContract}. */
final class SerializerPayloads {

    static final String SECRET = "s3cret";

    private SerializerPayloads() {}

    /** All types that records usually have as components. */
    public record Everything(
            String text,
            int number,
            long large,
            double fraction,
            boolean flag,
            Kind kind,
            BigDecimal amount,
            BigInteger huge,
            List<Line> lines,
            Map<String, Line> byName,
            @Nullable Line none) {}

    /** An enum. */
    public enum Kind {
        FIRST,
        SECOND
    }

    /** A record that is a component of another one. */
    public record Line(String sku, int count) {}

    /** A type as an older node knows it; {@link LaterOrder} is the newer version. */
    public record Order(String id) {}

    /** A newer version of {@link Order}, with more components. */
    public record LaterOrder(String id, long cents, List<Line> lines) {}

    /** Some text. */
    public record Text(String text) {}

    /** A type with the same components as {@link Text}. */
    public record Other(String text) {}

    /** Holds a value of any type. */
    public record Holder(@Nullable Object value) {}

    /** A record whose component cannot be read, because the accessor throws. */
    public record Refusing(String text) {
        @Override
        public String text() {
            throw new IllegalStateException(SECRET);
        }
    }

    /** Contains itself. */
    public static final class Endless {
        public Endless getNext() {
            return this;
        }
    }

    /** A class that must never be instantiated because a body names it. */
    public static final class Gadget implements Serializable {

        private static final long serialVersionUID = 1;
        private static final ThreadLocal<Integer> MADE = ThreadLocal.withInitial(() -> 0);

        public Gadget() {
            MADE.set(MADE.get() + 1);
        }

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            MADE.set(MADE.get() + 1);
        }

        /** Number of instances created by this thread. */
        static int made() {
            return MADE.get();
        }
    }

    static List<Object> records() {
        Map<String, Line> byName = new LinkedHashMap<>();
        byName.put("ü key", new Line("ä", -1));
        byName.put("", new Line("", Integer.MAX_VALUE));
        return List.of(
                new Everything(
                        "Grüße, 世界 🐇 \"\\ \u0000\u001f\n\u007f\u2028 \ud83d\udc07",
                        Integer.MIN_VALUE,
                        Long.MIN_VALUE,
                        -1e-300,
                        true,
                        Kind.SECOND,
                        new BigDecimal("12345678901234567890.12"),
                        BigInteger.TWO.pow(100),
                        List.of(new Line("a", 1), new Line("b", 2)),
                        byName,
                        null),
                new Everything(
                        "",
                        0,
                        Long.MAX_VALUE,
                        0.1,
                        false,
                        Kind.FIRST,
                        BigDecimal.ONE,
                        BigInteger.ZERO,
                        List.of(),
                        Map.of(),
                        new Line("", 0)),
                new Line("x", 0));
    }
}
