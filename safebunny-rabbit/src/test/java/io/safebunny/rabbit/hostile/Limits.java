// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.hostile;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Values of every type that AMQP 0-9-1 and RabbitMQ have, at the limits of the type and of what is expected. */
final class Limits {

    private Limits() {}

    /** Texts by what is special about them, not all of them UTF-8, none longer than a short string may be. */
    static Map<String, byte[]> texts() {
        Map<String, byte[]> texts = new LinkedHashMap<>();
        for (int length : new int[] {0, 1, 64, 65, 100, 101, 128, 129, 255}) {
            texts.put(length + " letters", Octets.utf8("a".repeat(length)));
        }
        put(texts, "number", "1");
        put(texts, "control characters", "a\u0001\u001b[2J\u007f");
        put(texts, "line break", "a\r\n2026-01-01 INFO forged");
        put(texts, "NUL", "a\0b");
        put(texts, "emoji", "\uD83D\uDC30".repeat(20));
        put(texts, "right to left", "a\u202Egnp.exe\u2028b");
        put(texts, "format string", "%s%n{}${jndi:ldap://localhost/a}");
        texts.put("no UTF-8", new byte[] {'a', (byte) 0xC3, '(', (byte) 0xFF});
        texts.put("255 bytes of no UTF-8", "\u00FF".repeat(255).getBytes(StandardCharsets.ISO_8859_1));
        texts.put("surrogate", new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80});
        return texts;
    }

    private static void put(Map<String, byte[]> texts, String name, String text) {
        texts.put(name, Octets.utf8(text));
    }

    /** Encoded fields by name. */
    static Map<String, byte[]> fields() {
        Map<String, byte[]> fields = new LinkedHashMap<>();
        fields.put("false", Octets.number('t', 1, 0));
        fields.put("true", Octets.number('t', 1, 1));
        fields.put("boolean 2", Octets.number('t', 1, 2));
        for (long value : new long[] {Byte.MIN_VALUE, -1, 0, 1, Byte.MAX_VALUE}) {
            fields.put("byte " + value, Octets.number('b', 1, value));
        }
        fields.put("unsigned byte", Octets.number('B', 1, 255));
        for (long value : new long[] {Short.MIN_VALUE, -1, 0, Short.MAX_VALUE}) {
            fields.put("short " + value, Octets.number('s', 2, value));
        }
        fields.put("unsigned short", Octets.number('u', 2, 65_535));
        for (long value : new long[] {Integer.MIN_VALUE, -1, 0, 1, 1_000_000, 1_000_001, Integer.MAX_VALUE}) {
            fields.put("int " + value, Octets.number('I', 4, value));
        }
        fields.put("unsigned int", Octets.number('i', 4, 0xFFFF_FFFFL));
        for (long value : new long[] {Long.MIN_VALUE, -1, 0, 1, Integer.MAX_VALUE + 1L, Long.MAX_VALUE}) {
            fields.put("long " + value, Octets.number('l', 8, value));
        }
        for (float value : new float[] {0, -1, 1.5f, Float.MAX_VALUE, Float.NaN, Float.POSITIVE_INFINITY}) {
            fields.put("float " + value, Octets.number('f', 4, Float.floatToRawIntBits(value)));
        }
        for (double value :
                new double[] {-0.0, 1, Double.MIN_VALUE, Double.MAX_VALUE, Double.NaN, Double.NEGATIVE_INFINITY}) {
            fields.put("double " + value, Octets.number('d', 8, Double.doubleToRawLongBits(value)));
        }
        fields.put("decimal 0", Octets.decimal(0, 0));
        fields.put("decimal max", Octets.decimal(255, Integer.MAX_VALUE));
        fields.put("decimal min", Octets.decimal(128, Integer.MIN_VALUE));
        texts().forEach((name, text) -> fields.put("text of " + name, Octets.text(text)));
        fields.put("text of 5000 letters", Octets.text("x".repeat(5_000)));
        fields.put("no bytes", Octets.field('x', new byte[4]));
        fields.put(
                "bytes",
                Octets.field('x', new Octets().longString(new byte[] {0, -1}).toBytes()));
        for (long value : new long[] {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE / 1000 + 1, Long.MAX_VALUE}) {
            fields.put("timestamp " + value, Octets.number('T', 8, value));
        }
        fields.put("void", new byte[] {'V'});
        fields.put("empty table", Octets.table());
        fields.put("table", Octets.table(Octets.entry("queue", Octets.text("q")), Octets.entry("", new byte[] {'V'})));
        fields.put("empty array", Octets.array());
        fields.put("array of texts", Octets.array(Octets.text("a"), Octets.text("")));
        fields.put("array of all", Octets.array(fields.values().toArray(new byte[0][])));
        fields.put("50 arrays", Octets.arrays(50));
        fields.put("50 tables", Octets.tables(50));
        return fields;
    }
}
