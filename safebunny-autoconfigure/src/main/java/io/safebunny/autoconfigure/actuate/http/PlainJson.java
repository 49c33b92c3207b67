// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.http;

import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes answers with a mapper of our own, so that they are as documented whatever {@code spring.jackson} says. Adds to the answer of a
 * change which instance has carried it out. Ignores other endpoints. Thread-safe.
 */
public final class PlainJson implements OperationInvokerAdvisor {

    private static final JsonMapper JSON = JsonMapper.shared();

    private final Set<EndpointId> endpoints;
    private final Supplier<String> instance;

    /** @param instance the name of this one; asked late, because advice is made before the node */
    public PlainJson(Set<EndpointId> endpoints, Supplier<String> instance) {
        this.endpoints = Set.copyOf(endpoints);
        this.instance = instance;
    }

    public static byte[] bytes(Object body) {
        return JSON.writeValueAsBytes(body);
    }

    @Override
    public OperationInvoker apply(
            EndpointId endpoint, OperationType type, OperationParameters parameters, OperationInvoker invoker) {
        return endpoints.contains(endpoint)
                ? context -> written(invoker.invoke(context), type != OperationType.READ)
                : invoker;
    }

    private @Nullable Object written(@Nullable Object answer, boolean changes) {
        if (answer == null) {
            return null;
        }
        WebEndpointResponse<?> response =
                answer instanceof WebEndpointResponse<?> made ? made : new WebEndpointResponse<>(answer);
        Object body = response.getBody();
        if (body == null || body instanceof byte[]) { // bytes are written already, and need not be JSON
            return answer;
        }
        return new WebEndpointResponse<>(
                changes && response.getStatus() == WebEndpointResponse.STATUS_OK ? withInstance(body) : bytes(body),
                response.getStatus(),
                response.getContentType());
    }

    private byte[] withInstance(Object body) {
        JsonNode tree = JSON.valueToTree(body);
        if (tree instanceof ObjectNode object) {
            object.put("instance", instance.get());
        }
        return bytes(tree);
    }
}
