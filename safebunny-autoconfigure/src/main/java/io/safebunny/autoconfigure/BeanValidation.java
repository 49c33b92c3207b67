// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.PoisonMessageException;
import io.safebunny.handler.PayloadValidator;
import io.safebunny.message.Names;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.Path;
import jakarta.validation.Validator;
import java.util.List;
import java.util.Set;

/** Checks payloads with the application's {@link Validator}. Thread-safe. */
final class BeanValidation implements PayloadValidator {

    private static final int SHOWN = 5;
    private static final int LONGEST = 200;

    private final Validator validator;

    BeanValidation(Validator validator) {
        this.validator = validator;
    }

    @Override
    public void validate(String handler, Object payload) {
        Set<ConstraintViolation<Object>> violations = validator.validate(payload);
        if (violations.isEmpty()) {
            return;
        }
        List<String> all = violations.stream()
                .map(violation -> Names.printable(
                        (place(violation.getPropertyPath()) + " " + violation.getMessage()).strip(), LONGEST))
                .sorted()
                .toList();
        throw new PoisonMessageException("The payload is not valid [handler=%s]: %s%s."
                .formatted(
                        handler,
                        String.join("; ", all.subList(0, Math.min(SHOWN, all.size()))),
                        all.size() > SHOWN ? "; and %s more".formatted(all.size() - SHOWN) : ""));
    }

    /** Leaves out map keys, which {@code Path.toString()} would show: they are values of the payload. */
    private static String place(Path path) {
        StringBuilder place = new StringBuilder();
        for (Path.Node node : path) {
            if (node.getIndex() != null) {
                place.append('[').append(node.getIndex()).append(']');
            } else if (node.isInIterable()) {
                place.append("[]");
            }
            if (node.getName() != null) {
                place.append(place.length() == 0 ? "" : ".").append(node.getName());
            }
        }
        return place.toString();
    }
}
