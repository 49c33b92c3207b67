// SPDX-License-Identifier: Apache-2.0
package io.safebunny.vault;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.mock.http.client.MockClientHttpResponse;

/** Answers of Vault by path, without a server; what has none is not there (404). Remembers what it was asked. */
final class ScriptedVault implements ClientHttpRequestFactory {

    /** What happens instead of an answer, such as that it does not come. */
    interface Happening {
        void happen() throws IOException;
    }

    private record Reply(int status, String body) {}

    private final Map<String, Reply> replies = Collections.synchronizedMap(new LinkedHashMap<>());
    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    private volatile Happening happening = () -> {};

    void reply(String path, int status, String body) {
        replies.put(path, new Reply(status, body));
    }

    void error(String path, int status, String text) {
        reply(path, status, "{\"errors\":[\"%s\"]}".formatted(text));
    }

    void on(Happening each) {
        happening = each;
    }

    /** Path and body of each call, with a space between them. */
    List<String> asked() {
        return List.copyOf(asked);
    }

    @Override
    public ClientHttpRequest createRequest(URI uri, HttpMethod method) {
        return new MockClientHttpRequest(method, uri) {
            @Override
            protected ClientHttpResponse executeInternal() throws IOException {
                String path = uri.toString().replaceFirst("^https://vault:8200/v1/", "");
                asked.add((path + " " + getBodyAsString()).strip());
                happening.happen();
                Reply reply = replies.getOrDefault(path, new Reply(404, "{\"errors\":[\"no handler for route\"]}"));
                MockClientHttpResponse response = new MockClientHttpResponse(
                        reply.body().getBytes(StandardCharsets.UTF_8), HttpStatusCode.valueOf(reply.status()));
                response.getHeaders().setContentType(MediaType.APPLICATION_JSON);
                return response;
            }
        };
    }
}
