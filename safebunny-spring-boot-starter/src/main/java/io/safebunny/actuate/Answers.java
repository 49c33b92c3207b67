// SPDX-License-Identifier: Apache-2.0
package io.safebunny.actuate;

import io.safebunny.failure.BrowsingException;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.SafeBunnyException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.util.MimeType;

/** What the endpoints answer: what was asked for, or the problem as RFC 9457 has it. Pure. */
final class Answers {

    private static final MimeType PROBLEM = new MimeType("application", "problem+json");

    private static final int BAD_REQUEST = 400;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int UNAVAILABLE = 503;

    private static final Map<Integer, String> TITLES = Map.of(
            BAD_REQUEST, "Bad Request",
            NOT_FOUND, "Not Found",
            CONFLICT, "Conflict",
            UNAVAILABLE, "Service Unavailable");

    private Answers() {}

    /** What the supplier has to say, or why it cannot. */
    static WebEndpointResponse<Object> of(Supplier<? extends @Nullable Object> answer) {
        try {
            return new WebEndpointResponse<>(answer.get());
        } catch (MisuseException | BrowsingException e) {
            return problem(status(e), e.code(), e.messageWithoutCode());
        }
    }

    private static int status(SafeBunnyException e) {
        return switch (e.code()) {
            case MisuseException.TYPE -> NOT_FOUND;
            case MisuseException.BUSY -> CONFLICT;
            default -> e instanceof BrowsingException ? UNAVAILABLE : BAD_REQUEST;
        };
    }

    /** The same for what there may not be: then the answer is {@code null}, and the response says what is missing. */
    static WebEndpointResponse<Object> found(Supplier<? extends @Nullable Object> answer, String missing) {
        WebEndpointResponse<Object> response = of(answer);
        return response.getStatus() == WebEndpointResponse.STATUS_OK && response.getBody() == null
                ? problem(NOT_FOUND, "", missing)
                : response;
    }

    private static WebEndpointResponse<Object> problem(int status, String code, String detail) {
        Map<String, Object> problem = new LinkedHashMap<>();
        problem.put("title", TITLES.get(status));
        problem.put("status", status);
        problem.put("detail", detail);
        if (!code.isEmpty()) {
            problem.put("code", code);
        }
        return new WebEndpointResponse<>(problem, status, PROBLEM);
    }
}
