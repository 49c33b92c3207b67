// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.hostile;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Writes the data types of AMQP 0-9-1, and what only looks like them. Not thread-safe. */
final class Octets {

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    Octets octet(int value) {
        bytes.write(value);
        return this;
    }

    Octets shortInt(int value) {
        return octet(value >>> 8).octet(value);
    }

    Octets longInt(long value) {
        return shortInt((int) (value >>> 16)).shortInt((int) value);
    }

    Octets longLong(long value) {
        return longInt(value >>> 32).longInt(value);
    }

    Octets raw(byte[] value) {
        bytes.writeBytes(value);
        return this;
    }

    /** At most 255 bytes; of more the rest is left out. */
    Octets shortString(byte[] text) {
        int length = Math.min(text.length, 255);
        octet(length);
        bytes.write(text, 0, length);
        return this;
    }

    Octets shortString(String text) {
        return shortString(utf8(text));
    }

    Octets longString(byte[] text) {
        return longInt(text.length).raw(text);
    }

    byte[] toBytes() {
        return bytes.toByteArray();
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    // ---- fields of a table, each with the octet that names its type

    static byte[] field(char type, byte[] value) {
        return new Octets().octet(type).raw(value).toBytes();
    }

    /** The lowest bytes of a number. */
    static byte[] number(char type, int size, long value) {
        byte[] low = new byte[size];
        for (int i = 0; i < size; i++) {
            low[i] = (byte) (value >>> (8 * (size - 1 - i)));
        }
        return field(type, low);
    }

    static byte[] text(byte[] value) {
        return field('S', new Octets().longString(value).toBytes());
    }

    static byte[] text(String value) {
        return text(utf8(value));
    }

    static byte[] decimal(int scale, int digits) {
        return field('D', new Octets().octet(scale).longInt(digits).toBytes());
    }

    static byte[] array(byte[]... fields) {
        return field('A', new Octets().longString(joined(fields)).toBytes());
    }

    static byte[] table(byte[]... entries) {
        return field('F', new Octets().longString(joined(entries)).toBytes());
    }

    static byte[] entry(String name, byte[] field) {
        return entry(utf8(name), field);
    }

    static byte[] entry(byte[] name, byte[] field) {
        return new Octets().shortString(name).raw(field).toBytes();
    }

    /** Arrays within arrays, with nothing in the innermost. */
    static byte[] arrays(int depth) {
        byte[] nested = new byte[5 * depth];
        ByteBuffer buffer = ByteBuffer.wrap(nested);
        for (int level = depth - 1; level >= 0; level--) {
            buffer.put((byte) 'A').putInt(5 * level);
        }
        return nested;
    }

    /** Tables within tables, under names of one letter. */
    static byte[] tables(int depth) {
        byte[] nested = new byte[7 * depth - 2];
        ByteBuffer buffer = ByteBuffer.wrap(nested);
        for (int level = depth - 1; level >= 0; level--) {
            buffer.put((byte) 'F').putInt(7 * level);
            if (level > 0) {
                buffer.put((byte) 1).put((byte) 'n');
            }
        }
        return nested;
    }

    private static byte[] joined(byte[]... parts) {
        Octets all = new Octets();
        for (byte[] part : parts) {
            all.raw(part);
        }
        return all.toBytes();
    }
}
