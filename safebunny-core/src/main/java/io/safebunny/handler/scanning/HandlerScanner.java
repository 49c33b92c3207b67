// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.BunnyHandler;
import io.safebunny.OnExpired;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerSource;
import io.safebunny.handler.PayloadValidator;
import io.safebunny.saga.BunnySaga;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Finds the {@code @BunnyHandler} methods of all beans except sagas, and refuses those that cannot work. Runs once, at start-up. */
public final class HandlerScanner implements HandlerSource {

    private final ConfigurableListableBeanFactory beans;
    private final HandlerReader reader;

    public HandlerScanner(ConfigurableListableBeanFactory beans, HandlerDefaults defaults) {
        this(beans, defaults, null);
    }

    /** @param validator if {@code null}, a handler with a {@code @Valid} payload is refused */
    public HandlerScanner(
            ConfigurableListableBeanFactory beans, HandlerDefaults defaults, @Nullable PayloadValidator validator) {
        this.beans = beans;
        this.reader = new HandlerReader(
                new HandlerAttributes(beans::resolveEmbeddedValue, defaults), new HandlerArguments(validator));
    }

    /** @throws ConfigurationException SB-11xx naming bean and method */
    @Override
    public List<HandlerDefinition> handlers() {
        List<HandlerDefinition> found = new ArrayList<>();
        ScannedBean.forEach(beans, bean -> {
            if (bean.annotation(BunnySaga.class) == null) { // SagaScanner reads it
                found.addAll(handlersOf(bean));
            }
        });
        return List.copyOf(found);
    }

    private List<HandlerDefinition> handlersOf(ScannedBean bean) {
        Map<Method, BunnyHandler> methods = bean.methods(
                Set.of(BunnyHandler.class),
                method -> AnnotatedElementUtils.findMergedAnnotation(method, BunnyHandler.class));
        if (methods.isEmpty()) {
            HandlerReader.requireNoneLeft(reader.expired(expiredMethods(bean)).values());
            return List.of();
        }
        BunnyHandler ofClass = bean.annotation(BunnyHandler.class);
        Map<Type, HandlerReader.Expired> expired = reader.expired(expiredMethods(bean));
        List<HandlerDefinition> handlers = new ArrayList<>();
        methods.forEach((method, ofMethod) -> {
            HandlerDefinition handler = reader.read(bean.method(bean.name(), method), ofMethod, ofClass);
            HandlerReader.Expired ofHandler = expired.remove(handler.payloadType());
            handlers.add(ofHandler == null ? handler : handler.withOnExpired(ofHandler.invoker()));
        });
        HandlerReader.requireNoneLeft(expired.values());
        return handlers;
    }

    private static List<BeanMethod> expiredMethods(ScannedBean bean) {
        return bean
                .methods(
                        Set.of(OnExpired.class),
                        method -> AnnotatedElementUtils.hasAnnotation(method, OnExpired.class) ? method : null)
                .keySet()
                .stream()
                .map(method -> bean.method(bean.name(), method))
                .toList();
    }
}
