// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.autoconfigure.actuate.http.PlainJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationFilter;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.ParameterValueMapper;
import org.springframework.boot.actuate.endpoint.web.EndpointMediaTypes;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpointDiscoverer;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;

/** Calls endpoints as Spring Boot finds them. */
final class EndpointCalls {

    private EndpointCalls() {}

    /** Node {@code shop} with nothing exposed; what will be, may be written to. */
    static ApplicationContextRunner node() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(autoConfigurations()))
                // as in every application: it reads "read-only" as an enum constant
                .withInitializer(
                        context -> context.getEnvironment().setConversionService(new ApplicationConversionService()))
                .withPropertyValues(
                        "safebunny.transport=memory",
                        "safebunny.node=shop",
                        "management.endpoint.safebunny.access=unrestricted",
                        "management.endpoint.safebunnypoison.access=unrestricted");
    }

    private static Class<?>[] autoConfigurations() {
        List<Class<?>> all = new ArrayList<>(List.of(EndpointAutoConfiguration.class));
        StreamSupport.stream(
                        ImportCandidates.load(AutoConfiguration.class, null).spliterator(), false)
                .filter(name -> name.startsWith("io.safebunny."))
                .forEach(name -> all.add(ClassUtils.resolveClassName(name, null)));
        return all.toArray(Class<?>[]::new);
    }

    /** What they answer is not written as JSON yet. */
    static List<WebOperation> operations(ApplicationContext context) {
        return operations(
                context,
                context.getBeanProvider(OperationInvokerAdvisor.class)
                        .orderedStream()
                        .filter(advisor -> !(advisor instanceof PlainJson))
                        .toList(),
                List.of(OperationFilter.byAccess(context.getBean(EndpointAccessResolver.class))));
    }

    /** As Spring Boot's support of Cloud Foundry finds them: without any advice, and whatever their access is. */
    static List<WebOperation> bareOperations(ApplicationContext context) {
        return operations(context, List.of(), List.of());
    }

    private static List<WebOperation> operations(
            ApplicationContext context,
            List<OperationInvokerAdvisor> advisors,
            List<OperationFilter<WebOperation>> filters) {
        return new WebEndpointDiscoverer(
                        context,
                        context.getBean(ParameterValueMapper.class),
                        EndpointMediaTypes.DEFAULT,
                        List.of(),
                        List.of(),
                        advisors,
                        List.of(),
                        filters)
                .getEndpoints().stream()
                        .flatMap(endpoint -> endpoint.getOperations().stream())
                        .toList();
    }

    static @Nullable Object call(
            ApplicationContext context, WebEndpointHttpMethod method, String path, Map<String, Object> arguments) {
        return call(context, method, path, arguments, SecurityContext.NONE);
    }

    static @Nullable Object call(
            ApplicationContext context,
            WebEndpointHttpMethod method,
            String path,
            Map<String, Object> arguments,
            SecurityContext user) {
        return call(operations(context), method, path, arguments, user);
    }

    static @Nullable Object call(
            List<WebOperation> operations,
            WebEndpointHttpMethod method,
            String path,
            Map<String, Object> arguments,
            SecurityContext user) {
        WebOperation operation = operations.stream()
                .filter(one -> one.getRequestPredicate().getHttpMethod() == method
                        && one.getRequestPredicate().getPath().equals(path))
                .findFirst()
                .orElseThrow();
        Object answer = operation.invoke(new InvocationContext(user, arguments));
        return answer instanceof WebEndpointResponse<?> response && response.getStatus() == 200
                ? response.getBody()
                : answer;
    }
}
