// SPDX-License-Identifier: Apache-2.0
package io.safebunny.encryption;

import org.jspecify.annotations.Nullable;

/** Which classes are encrypted. Pure. */
public final class EncryptedTypes {

    private EncryptedTypes() {}

    /** The annotation of the class, of its nearest superclass, or of an interface of these; {@code null} if none has it. */
    public static @Nullable Encrypted of(Class<?> type) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            Encrypted own = ofOneClass(each);
            if (own != null) {
                return own;
            }
        }
        return null;
    }

    private static @Nullable Encrypted ofOneClass(Class<?> type) {
        Encrypted found = type.getDeclaredAnnotation(Encrypted.class);
        for (Class<?> each : type.getInterfaces()) {
            found = found == null ? ofOneClass(each) : found;
        }
        return found;
    }
}
