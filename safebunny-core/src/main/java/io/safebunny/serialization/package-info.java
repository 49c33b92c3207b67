// SPDX-License-Identifier: Apache-2.0
/** JSON, and the choice of a serializer by content type. No header ever chooses a class. */
@NullMarked
package io.safebunny.serialization;

import org.jspecify.annotations.NullMarked;
