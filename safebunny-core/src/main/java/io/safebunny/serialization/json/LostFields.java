// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.function.Predicate;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.AnnotatedField;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotatedMethod;
import tools.jackson.databind.introspect.BeanPropertyDefinition;

/** Distinguishes a class whose fields Jackson does not see from one without fields, such as {@code record Ping()}. Pure. */
final class LostFields {

    private LostFields() {}

    /** @return whether the class has fields, none of which is a property, without an annotation that excludes them */
    static boolean areAll(BeanDescription type, Predicate<BeanPropertyDefinition> isUsed) {
        if (type.findProperties().stream().anyMatch(isUsed)) {
            return false;
        }
        AnnotatedClass members = type.getClassInfo();
        for (AnnotatedMethod method : members.memberMethods()) {
            if (isDecided(method)) {
                return false;
            }
        }
        for (AnnotatedField field : members.fields()) {
            if (!field.isTransient() && !isDecided(field)) {
                return true;
            }
        }
        return false;
    }

    static boolean isDecided(AnnotatedMember member) {
        return member.hasAnnotation(JsonIgnore.class) || member.hasAnnotation(JsonProperty.class);
    }
}
