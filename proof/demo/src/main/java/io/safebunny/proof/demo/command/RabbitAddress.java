// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.command;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Address and credentials of the broker. Never printed as given, because it contains a password. */
public final class RabbitAddress {

    private static final Pattern AUTHORITY = Pattern.compile("(?:(?<user>[^:@]*)(?::(?<password>[^@]*))?@)?"
            + "(?<host>\\[[0-9a-fA-F:.]+]|[^:@\\[\\]]+)(?::(?<port>\\d{1,5}))?");

    private final boolean tls;
    private final String host;
    private final int port;
    private final String user;
    private final String password;
    private final String virtualHost;

    private RabbitAddress(URI uri, Matcher authority) {
        tls = "amqps".equals(uri.getScheme());
        host = authority.group("host");
        port = authority.group("port") != null ? Integer.parseInt(authority.group("port")) : tls ? 5671 : 5672;
        user = decode(Objects.requireNonNullElse(authority.group("user"), "guest"));
        password = decode(Objects.requireNonNullElse(authority.group("password"), "guest"));
        String path = Objects.requireNonNullElse(uri.getRawPath(), "");
        virtualHost = path.length() <= 1 ? "/" : decode(path.substring(1));
    }

    /** @throws UsageException whose message does not repeat the text */
    public static RabbitAddress parse(String text) {
        try {
            URI uri = URI.create(text);
            String authority = Objects.requireNonNullElse(uri.getRawAuthority(), "");
            Matcher matcher = AUTHORITY.matcher(authority);
            if (("amqp".equals(uri.getScheme()) || "amqps".equals(uri.getScheme())) && matcher.matches()) {
                RabbitAddress address = new RabbitAddress(uri, matcher);
                if (address.port > 0 && address.port < 65_536) {
                    return address;
                }
            }
        } catch (IllegalArgumentException e) {
            throw unusable(); // without the cause, whose message would repeat the text and its password
        }
        throw unusable();
    }

    private static UsageException unusable() {
        return new UsageException(
                "--rabbit needs an address: it must look like amqp://USER:PASSWORD@HOST:PORT/VIRTUAL-HOST");
    }

    private static String decode(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** Spring Boot properties of the connection. */
    public Map<String, String> properties() {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("spring.rabbitmq.addresses", host + ":" + port);
        properties.put("spring.rabbitmq.username", user);
        properties.put("spring.rabbitmq.password", password);
        properties.put("spring.rabbitmq.virtual-host", virtualHost);
        properties.put("spring.rabbitmq.ssl.enabled", Boolean.toString(tls));
        return properties;
    }

    @Override
    public String toString() {
        return host + ":" + port + " " + virtualHost;
    }
}
