// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A static method of a payload class that converts the JSON of a body from one {@linkplain BunnyMessage#version() version} to the next: it
 * takes and returns an {@code ObjectNode} (tools.jackson), which may be its argument. Called by the node that handles the message, each time
 * the body is read, before it becomes the payload; by several threads. What it throws, or {@code null}, sets the message aside as {@code
 * malformed-body}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Upcast {

    /** The version it reads; it returns the next one. */
    int from();
}
