// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.hostile;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A message whose every byte its sender chooses. Immutable.
 *
 * @param properties without the headers, as they are encoded
 * @param headers encoded fields by name, whose bytes need not be text
 * @param spoil of the encoded flags and properties
 */
record HostileMessage(
        String exchange,
        byte[] routingKey,
        Map<Property, byte[]> properties,
        Map<Name, byte[]> headers,
        byte[] body,
        UnaryOperator<byte[]> spoil) {

    /** In the order in which AMQP writes them, with the bit of each. */
    enum Property {
        CONTENT_TYPE(15),
        CONTENT_ENCODING(14),
        HEADERS(13),
        DELIVERY_MODE(12),
        PRIORITY(11),
        CORRELATION_ID(10),
        REPLY_TO(9),
        EXPIRATION(8),
        MESSAGE_ID(7),
        TIMESTAMP(6),
        TYPE(5),
        USER_ID(4),
        APP_ID(3),
        CLUSTER_ID(2);

        private final int bit;

        Property(int bit) {
            this.bit = bit;
        }
    }

    /** Of a header, by its bytes: two of them may be the same text. */
    record Name(byte[] bytes, int copy) {

        static Name of(String text) {
            return new Name(Octets.utf8(text), 0);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Name name && copy == name.copy && Arrays.equals(bytes, name.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }
    }

    /** One that a node of this name could have published, of its n-th order. */
    static HostileMessage of(String node, int n) {
        Map<Property, byte[]> properties = new EnumMap<>(Property.class);
        HostileMessage plain = new HostileMessage(
                "safebunny",
                Octets.utf8(node + "-Order"),
                properties,
                Map.of(),
                Octets.utf8("{\"id\":\"hostile-%d\",\"cents\":1,\"lines\":[]}".formatted(n)),
                UnaryOperator.identity());
        return plain.with(Property.CONTENT_TYPE, "application/json")
                .with(Property.CORRELATION_ID, "hostile-saga-" + n % 50)
                .with(Property.MESSAGE_ID, "hostile-" + n)
                .with(Property.TYPE, "Order")
                .with(Property.APP_ID, node)
                .with(Property.DELIVERY_MODE, new byte[] {2});
    }

    HostileMessage with(Property property, byte[] encoded) {
        Map<Property, byte[]> changed = new EnumMap<>(Property.class);
        changed.putAll(properties);
        changed.put(property, encoded);
        return new HostileMessage(exchange, routingKey, changed, headers, body, spoil);
    }

    HostileMessage with(Property property, String text) {
        return with(property, new Octets().shortString(text).toBytes());
    }

    HostileMessage without(Property property) {
        Map<Property, byte[]> changed = new EnumMap<>(Property.class);
        changed.putAll(properties);
        changed.remove(property);
        return new HostileMessage(exchange, routingKey, changed, headers, body, spoil);
    }

    HostileMessage withHeader(String name, byte[] field) {
        return withHeader(Name.of(name), field);
    }

    HostileMessage withHeader(Name name, byte[] field) {
        return withHeaders(Map.of(name, field));
    }

    HostileMessage withHeaders(Map<Name, byte[]> more) {
        Map<Name, byte[]> changed = new LinkedHashMap<>(headers);
        changed.putAll(more);
        return new HostileMessage(exchange, routingKey, properties, changed, body, spoil);
    }

    HostileMessage withBody(byte[] other) {
        return new HostileMessage(exchange, routingKey, properties, headers, other, spoil);
    }

    HostileMessage to(String otherExchange, String key) {
        return new HostileMessage(otherExchange, Octets.utf8(key), properties, headers, body, spoil);
    }

    HostileMessage spoilt(UnaryOperator<byte[]> how) {
        return new HostileMessage(exchange, routingKey, properties, headers, body, how);
    }

    /** Flags and properties, as they follow the body's size in the frame. */
    byte[] encodedProperties() {
        Octets values = new Octets();
        int flags = 0;
        for (Property property : Property.values()) {
            byte[] value = property == Property.HEADERS ? encodedHeaders() : properties.get(property);
            if (value != null) {
                flags |= 1 << property.bit;
                values.raw(value);
            }
        }
        return spoil.apply(new Octets().shortInt(flags).raw(values.toBytes()).toBytes());
    }

    private byte @Nullable [] encodedHeaders() {
        if (headers.isEmpty()) {
            return null;
        }
        Octets table = new Octets();
        headers.forEach((name, field) -> table.raw(Octets.entry(name.bytes, field)));
        return new Octets().longString(table.toBytes()).toBytes();
    }
}
