// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.BunnyHandler;
import io.safebunny.failure.ConfigurationException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Detects beans with {@code @BunnyHandler} methods that a scan does not find, so that they do not silently miss their messages:
 * beans inside beans, factories, and beans whose declared type hides their methods until they are created. Thread-safe.
 */
public final class UnscannedHandlers implements BeanPostProcessor {

    private static final Logger LOG = LoggerFactory.getLogger(UnscannedHandlers.class);
    private static final String CODE = "SB-1114";
    private static final String FIX =
            "Declare the class with the handlers as a bean of its own in the application context of the node, with that class as the declared type of its @Bean method.";

    private final Map<Class<?>, Boolean> classes = new ConcurrentHashMap<>();
    private final Map<Class<?>, String> made = new ConcurrentHashMap<>();
    private volatile @Nullable Set<Class<?>> scanned;

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        note(bean, name);
        return bean;
    }

    /** Also called for objects made by factory beans, which are not initialized otherwise. */
    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        note(bean, name);
        return bean;
    }

    private void note(Object bean, String name) {
        Class<?> type = userClass(AopProxyUtils.ultimateTargetClass(bean));
        if (!classes.computeIfAbsent(type, UnscannedHandlers::hasHandlers) || made.putIfAbsent(type, name) != null) {
            return;
        }
        Set<Class<?>> known = scanned;
        if (known != null && !known.contains(type)) {
            LOG.error(
                    "{} Handlers are not called [bean={}, class={}]: the bean was created after the node had looked for handlers, and"
                            + " did not show them before. {}",
                    CODE,
                    name,
                    type.getName(),
                    FIX);
        }
    }

    /**
     * Call it when the node looks for its handlers.
     *
     * @throws ConfigurationException SB-1114 if an existing bean has handlers that the scan does not find
     */
    public void requireAllScanned(ConfigurableListableBeanFactory beans) {
        Set<Class<?>> found = ConcurrentHashMap.newKeySet();
        ScannedBean.forEach(beans, bean -> found.add(userClass(bean.type())));
        scanned = found;
        made.forEach((type, name) -> {
            if (!found.contains(type)) {
                throw new ConfigurationException(
                        CODE,
                        "Handlers would not be called [bean=%s, class=%s]: the class has @BunnyHandler methods, but the application context shows another class under that name. It may be a bean inside a bean, a factory, or wrapped. It must be a bean of its own."
                                .formatted(name, type.getName()),
                        FIX);
            }
        });
    }

    /**
     * Checks a parent or child of the node's application context.
     *
     * @param context its name, for the error
     * @throws ConfigurationException SB-1114 if it has handlers
     */
    public static void requireNone(ConfigurableListableBeanFactory beans, String context) {
        ScannedBean.forEach(beans, bean -> {
            if (hasHandlers(bean.type())) {
                throw new ConfigurationException(
                        CODE,
                        "Handlers would not be called [bean=%s, class=%s, context=%s]: the bean is in a parent or child of the node's application context, but it must be in the node's own."
                                .formatted(bean.name(), userClass(bean.type()).getName(), context),
                        "Declare the bean in the application context of the node; or give its own context a node, with SafeBunny's auto-configuration and another `safebunny.node`, and no common parent that has one.");
            }
        });
    }

    private static Class<?> userClass(Class<?> type) {
        return ClassUtils.getUserClass(type);
    }

    private static boolean hasHandlers(Class<?> type) {
        if (!AnnotationUtils.isCandidateClass(type, BunnyHandler.class)) {
            return false;
        }
        try {
            return !MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<Boolean>)
                            method -> AnnotatedElementUtils.hasAnnotation(method, BunnyHandler.class) ? true : null)
                    .isEmpty();
        } catch (LinkageError e) { // a signature names an absent optional class
            return false;
        }
    }
}
