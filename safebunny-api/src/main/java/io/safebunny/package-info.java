// SPDX-License-Identifier: Apache-2.0
/** What applications import every day: the annotations, the publisher, the context of a message and the events. */
@NullMarked
package io.safebunny;

import org.jspecify.annotations.NullMarked;
