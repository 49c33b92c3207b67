// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One {@code curl}, as far as the tour needs it: {@code -sS}, {@code -X}, {@code -H}, {@code -d}, an address with at most one range, and {@code | grep WORD}.
 *
 * @param grep only lines with it count; empty for all
 */
record TourRequest(
        String method,
        String address,
        Map<String, String> headers,
        @Nullable String body,
        String grep) {

    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");
    private static final Pattern RANGE = Pattern.compile("\\[(\\d+)-(\\d+)]");

    static TourRequest parse(String command) {
        Deque<String> words = new ArrayDeque<>(WORD.matcher(command.replace("\\\n", " "))
                .results()
                .map(word -> Objects.requireNonNullElseGet(word.group(1), () -> word.group(2)))
                .toList());
        if (!"curl".equals(words.pop())) {
            throw new IllegalArgumentException("Not a request: " + command);
        }
        String method = null;
        String address = null;
        String body = null;
        String grep = "";
        Map<String, String> headers = new LinkedHashMap<>();
        while (!words.isEmpty()) {
            String word = words.pop();
            switch (word) {
                case "-sS" -> {}
                case "-X" -> method = words.pop();
                case "-d" -> body = words.pop();
                case "-H" -> {
                    String[] header = words.pop().split(": ", 2);
                    headers.put(header[0], header[1]);
                }
                case "|" -> {
                    if (!"grep".equals(words.pop())) {
                        throw new IllegalArgumentException("Only grep is understood: " + command);
                    }
                    grep = words.pop();
                }
                default -> {
                    if (address != null || !word.startsWith("http://localhost:")) {
                        throw new IllegalArgumentException("Not understood [" + word + "]: " + command);
                    }
                    address = word;
                }
            }
        }
        return new TourRequest(
                method != null ? method : body == null ? "GET" : "POST",
                Objects.requireNonNull(address, command),
                headers,
                body,
                grep);
    }

    /** Whether it may be made again. */
    boolean looksOnly() {
        return method.equals("GET");
    }

    /** @param actual what the page's address is in this run */
    List<HttpRequest> requests(UnaryOperator<String> actual) {
        List<HttpRequest> requests = new ArrayList<>();
        addresses().forEach(each -> {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(actual.apply(each)))
                    .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
            headers.forEach(request::header);
            requests.add(request.build());
        });
        return requests;
    }

    private Stream<String> addresses() {
        Matcher range = RANGE.matcher(address);
        if (!range.find()) {
            return Stream.of(address);
        }
        return IntStream.rangeClosed(Integer.parseInt(range.group(1)), Integer.parseInt(range.group(2)))
                .mapToObj(number -> address.replace(range.group(), String.valueOf(number)));
    }
}
