// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.BunnyHandler;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.handler.HandlerReader.Found;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/** Finds the {@code @BunnyHandler} methods of all beans, and refuses those that cannot work. Runs once, at start-up. */
public final class HandlerScanner implements HandlerSource {

    private static final Logger LOG = LoggerFactory.getLogger(HandlerScanner.class);

    private final ConfigurableListableBeanFactory beans;
    private final HandlerReader reader;

    public HandlerScanner(ConfigurableListableBeanFactory beans, HandlerDefaults defaults) {
        this(beans, defaults, null);
    }

    /** @param validator if {@code null}, a handler with a {@code @Valid} payload is refused */
    public HandlerScanner(
            ConfigurableListableBeanFactory beans, HandlerDefaults defaults, @Nullable PayloadValidator validator) {
        this.beans = beans;
        this.reader = new HandlerReader(new HandlerAttributes(beans::resolveEmbeddedValue, defaults), validator);
    }

    /** @throws ConfigurationException SB-11xx naming bean and method */
    @Override
    public List<HandlerDefinition> handlers() {
        List<HandlerDefinition> found = new ArrayList<>();
        for (String name : beans.getBeanDefinitionNames()) {
            if (!ScopedProxyUtils.isScopedTarget(name)) {
                found.addAll(handlersOf(name));
            }
        }
        for (String name : beans.getSingletonNames()) {
            if (!beans.containsBeanDefinition(name) && !ScopedProxyUtils.isScopedTarget(name)) {
                found.addAll(handlersOf(name));
            }
        }
        return List.copyOf(found);
    }

    private List<HandlerDefinition> handlersOf(String name) {
        Class<?> target = targetClass(name);
        if (target == null || !AnnotationUtils.isCandidateClass(target, BunnyHandler.class)) {
            return List.of();
        }
        Map<Method, BunnyHandler> methods = annotatedMethods(name, target);
        if (methods.isEmpty()) {
            return List.of();
        }
        BunnyHandler ofClass = AnnotatedElementUtils.findMergedAnnotation(target, BunnyHandler.class);
        List<HandlerDefinition> handlers = new ArrayList<>();
        methods.forEach((method, ofMethod) -> {
            Found handler = new Found(name, target, exposedClass(name, target), supplier(name), method);
            handlers.add(reader.read(handler, ofMethod, ofClass));
        });
        return handlers;
    }

    private static Map<Method, BunnyHandler> annotatedMethods(String name, Class<?> target) {
        try {
            return MethodIntrospector.selectMethods(target, (MethodIntrospector.MetadataLookup<BunnyHandler>)
                    method -> AnnotatedElementUtils.findMergedAnnotation(method, BunnyHandler.class));
        } catch (LinkageError e) { // a signature names an absent optional class, so this bean has no handler of ours
            LOG.debug("Cannot look for handlers in bean '{}' of {}", name, target, e);
            return Map.of();
        }
    }

    private @Nullable Class<?> targetClass(String name) {
        if (beans.containsBeanDefinition(name)
                && beans.getMergedBeanDefinition(name).isAbstract()) {
            return null;
        }
        Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
        if (type != null && ScopedObject.class.isAssignableFrom(type)) {
            Class<?> scoped = AutoProxyUtils.determineTargetClass(beans, ScopedProxyUtils.getTargetBeanName(name));
            return scoped != null ? scoped : type;
        }
        return type;
    }

    private Class<?> exposedClass(String name, Class<?> target) {
        Class<?> exposed = beans.isSingleton(name) ? beans.getBean(name).getClass() : beans.getType(name);
        return exposed == null ? target : exposed;
    }

    /** A singleton is looked up once; a bean of any other scope, at every call. */
    private Supplier<Object> supplier(String name) {
        if (beans.isSingleton(name)) {
            Object bean = beans.getBean(name);
            return () -> bean;
        }
        return () -> beans.getBean(name);
    }
}
