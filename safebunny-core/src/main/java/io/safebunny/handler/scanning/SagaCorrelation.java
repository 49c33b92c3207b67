// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.PoisonMessageException;
import io.safebunny.failure.ConfigurationException;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;
import org.springframework.util.StringUtils;

/** Reads the id of a saga from a payload. Thread-safe. */
final class SagaCorrelation implements Function<Object, @Nullable String> {

    private static final EvaluationContext READ_ONLY =
            SimpleEvaluationContext.forReadOnlyDataBinding().build();

    /** Expressions that the evaluation refuses, or that yield nothing for any payload. */
    private static final Set<Class<? extends SpelNode>> IMPOSSIBLE = Set.of(
            Assign.class,
            BeanReference.class,
            ConstructorReference.class,
            FunctionReference.class,
            MethodReference.class,
            OpDec.class,
            OpInc.class,
            TypeReference.class,
            VariableReference.class);

    private final String where;
    private final String text;
    private final Expression expression;

    private SagaCorrelation(String where, String text, Expression expression) {
        this.where = where;
        this.text = text;
        this.expression = expression;
    }

    /** @throws ConfigurationException SB-1107 if it cannot be evaluated for any payload */
    static SagaCorrelation parse(String where, String text, Type payload) {
        SpelExpression expression;
        try {
            expression = new SpelExpressionParser().parseRaw(text);
        } catch (ParseException | IllegalStateException | IllegalArgumentException e) {
            throw refused(where, text, String.valueOf(e.getMessage()));
        }
        requirePossible(where, text, expression.getAST());
        requireProperties(where, text, expression.getAST(), payload);
        return new SagaCorrelation(where, text, expression);
    }

    private static void requirePossible(String where, String text, SpelNode node) {
        if (IMPOSSIBLE.contains(node.getClass())) {
            throw refused(where, text, "'%s' is not a property".formatted(node.toStringAST()));
        }
        children(node).forEach(child -> requirePossible(where, text, child));
    }

    /** Checks the path up to the first class that is not final, because a subclass might have the missing property. */
    private static void requireProperties(String where, String text, SpelNode root, Type payload) {
        List<SpelNode> path = root instanceof CompoundExpression ? children(root) : List.of(root);
        ResolvableType owner = ResolvableType.forType(payload);
        for (SpelNode node : path) {
            Class<?> type = owner.resolve();
            if (!(node instanceof PropertyOrFieldReference property)
                    || type == null
                    || type.isArray() // reflection does not show its length as a field
                    || !Modifier.isFinal(type.getModifiers())) {
                return;
            }
            ResolvableType value = value(type, property.getName());
            if (value == null) {
                throw refused(where, text, "%s has no property '%s'".formatted(type.getName(), property.getName()));
            }
            owner = value;
        }
    }

    private static @Nullable ResolvableType value(Class<?> type, String name) {
        Set<String> getters = Set.of(
                name,
                "get" + name,
                "get" + StringUtils.capitalize(name),
                "is" + name,
                "is" + StringUtils.capitalize(name));
        return Stream.concat(
                        Arrays.stream(type.getMethods())
                                .filter(method -> method.getParameterCount() == 0 && getters.contains(method.getName()))
                                .map(ResolvableType::forMethodReturnType),
                        Arrays.stream(type.getFields())
                                .filter(field -> field.getName().equals(name))
                                .map(ResolvableType::forField))
                .findFirst()
                .orElse(null);
    }

    private static List<SpelNode> children(SpelNode node) {
        List<SpelNode> children = new ArrayList<>();
        for (int i = 0; i < node.getChildCount(); i++) {
            children.add(node.getChild(i));
        }
        return children;
    }

    private static ConfigurationException refused(String where, String text, String why) {
        return SagaReader.refused(
                "An expression cannot be evaluated [handler=%s, @CorrelatedBy=%s]: %s.".formatted(where, text, why),
                "Write the path of a property of the payload: @CorrelatedBy(\"order.id\").");
    }

    /**
     * The id; {@code null} if it or anything on the path to it is {@code null}.
     *
     * @throws PoisonMessageException if the payload does not fit; the text contains no values of it
     */
    @Override
    public @Nullable String apply(Object payload) {
        try {
            Object value = expression.getValue(READ_ONLY, payload);
            return value == null ? null : value.toString();
        } catch (SpelEvaluationException e) {
            if (e.getMessageCode() == SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL) {
                return null;
            }
            throw unfit(e.getMessageCode().name());
        } catch (EvaluationException e) {
            throw unfit(e.getClass().getSimpleName());
        }
    }

    /** Made without a cause, whose text may contain values of the payload. */
    private PoisonMessageException unfit(String why) {
        return new PoisonMessageException(
                "The saga's id cannot be read from the payload [handler=%s, @CorrelatedBy=%s, why=%s]. The expression must fit the message: correct one of them."
                        .formatted(where, text, why));
    }
}
