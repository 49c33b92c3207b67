// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.failure.ConfigurationException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Refuses advice that would acknowledge a handler's message before, or without, running the handler. Warns about advice that
 * repeats a handler without undoing what it did. Checks Spring's proxies and, where no proxy shows the advice, the annotations.
 * Refers to classes by name, because all of them are optional.
 */
final class HandlerAdvice {

    private static final Logger LOG = LoggerFactory.getLogger(HandlerAdvice.class);

    private static final Set<String> ASYNCHRONOUS = Set.of(
            "org.springframework.scheduling.annotation.Async",
            "jakarta.ejb.Asynchronous",
            "jakarta.enterprise.concurrent.Asynchronous");
    private static final Set<String> RUNS_ELSEWHERE =
            Set.of("org.springframework.aop.interceptor.AsyncExecutionAspectSupport");
    private static final Set<String> CACHED =
            Set.of("org.springframework.cache.annotation.Cacheable", "javax.cache.annotation.CacheResult");
    private static final String CACHING = "org.springframework.cache.annotation.Caching";
    private static final Set<String> RETRYABLE = Set.of(
            "org.springframework.retry.annotation.Retryable",
            "org.springframework.resilience.annotation.Retryable",
            "io.github.resilience4j.retry.annotation.Retry");
    private static final Set<String> RETRIES = Set.of(
            "org.springframework.retry.interceptor.RetryOperationsInterceptor",
            "org.springframework.retry.interceptor.StatefulRetryOperationsInterceptor",
            "org.springframework.retry.annotation.AnnotationAwareRetryOperationsInterceptor",
            "org.springframework.resilience.retry.AbstractRetryInterceptor");
    private static final Set<String> TRANSACTIONAL =
            Set.of("org.springframework.transaction.annotation.Transactional", "jakarta.transaction.Transactional");
    private static final Set<String> OPENS_TRANSACTION =
            Set.of("org.springframework.transaction.interceptor.TransactionInterceptor");

    private HandlerAdvice() {}

    /** @throws ConfigurationException SB-1113 if the method would run on another thread than its caller's, or perhaps not at all */
    static void check(String where, Class<?> beanClass, Method method, List<Advice> advice) {
        String elsewhere = seen(ASYNCHRONOUS, RUNS_ELSEWHERE, beanClass, method, advice);
        if (elsewhere != null) {
            throw new ConfigurationException(
                    "SB-1113",
                    "A handler would run on another thread [handler=%s, class=%s, because of=%s]: its message would be acknowledged before it has run, and lost if it fails. It must run on the thread that calls it."
                            .formatted(where, beanClass.getName(), elsewhere),
                    "Remove that from the method, its class and its supertypes: SafeBunny already handles up to `prefetch` messages at once, on threads of its own. For work that may get lost, call a method of another bean from the handler.");
        }
        String cached = cached(beanClass, method);
        if (cached != null) {
            throw new ConfigurationException(
                    "SB-1113",
                    "A handler would not run for each of its messages [handler=%s, class=%s, because of=%s]: one that equals an earlier message would be acknowledged unhandled. It must run for each of them."
                            .formatted(where, beanClass.getName(), cached),
                    "Remove that from the method, its class and its supertypes. With a message store, duplicates are already handled only once. To cache what the handler looks up, call a cached method of another bean from it.");
        }
        String retried = seen(RETRYABLE, RETRIES, beanClass, method, advice);
        if (retried != null && !eachTryHasItsTransaction(beanClass, method, advice)) {
            LOG.warn(
                    "SB-1115 A handler is repeated by advice, without a transaction for each try [handler={}, because of={}]:"
                            + " what a failed try has written and published stays, and the next try repeats it."
                            + " Use @BunnyHandler(retry = @BunnyRetry(…)) instead, which undoes a failed try; or let the handler call"
                            + " a method of another bean that is retried and does nothing but the call that may fail",
                    where,
                    retried);
        }
    }

    private static @Nullable String cached(Class<?> beanClass, Method method) {
        // for an annotated class, Spring caches only public methods
        Stream<AnnotatedElement> judged =
                Modifier.isPublic(method.getModifiers()) ? Stream.of(method, beanClass) : Stream.of(method);
        return judged.flatMap(element -> annotationOn(element, CACHED)
                        .or(() -> isCachedAmongOthers(element) ? Optional.of("@" + CACHING) : Optional.empty())
                        .map(name -> name + (element == method ? " on the method" : " on the class"))
                        .stream())
                .findFirst()
                .orElse(null);
    }

    private static boolean isCachedAmongOthers(AnnotatedElement element) {
        return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream(CACHING)
                .anyMatch(caching -> caching.getValue("cacheable", Object[].class)
                                .map(cacheable -> cacheable.length)
                                .orElse(0)
                        > 0);
    }

    private static @Nullable String seen(
            Set<String> annotations, Set<String> interceptors, Class<?> beanClass, Method method, List<Advice> advice) {
        return advice.stream()
                .filter(one -> isAny(one.getClass(), interceptors))
                .findFirst()
                .map(one -> "advice " + one.getClass().getName())
                .or(() -> annotationOn(method, annotations).map(name -> name + " on the method"))
                .or(() -> annotationOn(beanClass, annotations).map(name -> name + " on the class"))
                .orElse(null);
    }

    /** If the proxies show both advices, the transaction must be the inner one. */
    private static boolean eachTryHasItsTransaction(Class<?> beanClass, Method method, List<Advice> advice) {
        int transaction = lastOf(OPENS_TRANSACTION, advice);
        if (transaction >= 0) {
            return lastOf(RETRIES, advice) < transaction;
        }
        return Stream.of(method, beanClass)
                .anyMatch(element -> annotationOn(element, TRANSACTIONAL).isPresent());
    }

    private static int lastOf(Set<String> interceptors, List<Advice> advice) {
        for (int i = advice.size() - 1; i >= 0; i--) {
            if (isAny(advice.get(i).getClass(), interceptors)) {
                return i;
            }
        }
        return -1;
    }

    private static boolean isAny(Class<?> type, Set<String> names) {
        for (Class<?> one = type; one != null; one = one.getSuperclass()) {
            if (names.contains(one.getName())) {
                return true;
            }
        }
        return false;
    }

    private static Optional<String> annotationOn(AnnotatedElement element, Set<String> names) {
        MergedAnnotations annotations = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY);
        return names.stream()
                .filter(annotations::isPresent)
                .map(name -> "@" + name)
                .findFirst();
    }
}
