// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.test.broker.TestBroker;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Pattern;

/** What an operator does to users, permissions and connections, over the management plugin of a private broker. */
final class Administration {

    private static final Pattern NUMBER = Pattern.compile("\"number\":");

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI management;
    private final String authorization;

    Administration(TestBroker broker) {
        management = broker.managementUri().orElseThrow();
        authorization = "Basic "
                + Base64.getEncoder()
                        .encodeToString((broker.username() + ":" + broker.password()).getBytes(StandardCharsets.UTF_8));
    }

    void setPassword(String user, String password) {
        ask("PUT", "/api/users/" + user, "{\"password\": \"%s\", \"tags\": \"\"}".formatted(password));
    }

    /** @param write what the user may publish to, as a regular expression; configuring and reading is free */
    void permit(String user, String write) {
        ask(
                "PUT",
                "/api/permissions/%2F/" + user,
                "{\"configure\": \".*\", \"write\": \"%s\", \"read\": \".*\"}".formatted(write));
    }

    void deleteUser(String user) {
        ask("DELETE", "/api/users/" + user, "");
    }

    /** All channels of the broker, as far as the plugin has heard of them. */
    int channels() {
        return (int) NUMBER.matcher(ask("GET", "/api/channels?columns=number", ""))
                .results()
                .count();
    }

    private String ask(String method, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(management.resolve(path))
                .header("Authorization", authorization)
                .header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
            assertThat(response.statusCode()).as(method + " " + path).isBetween(200, 299);
            return response.body();
        } catch (IOException e) {
            throw new IllegalStateException("The management plugin does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
