-- Prints what a full crawl returns, with the sqlite3 shell from the same file: every field, roles and members. The
-- ids of people are as long as in the API.
SELECT json_object(
    'id', printf('%052d', p.id), 'email', p.email, 'givenName', p.given_name, 'middleName', p.middle_name,
    'familyName', p.family_name, 'grade', p.grade,
    'roles', (SELECT json_group_array(DISTINCT r.roster_role) FROM role_assignment AS r WHERE r.person_id = p.id),
    'roleLocationMapping', (
        SELECT json_group_array(json_object('roleName', r.roster_role, 'locationId', 'LO:' || r.location_id))
        FROM role_assignment AS r WHERE r.person_id = p.id
    ),
    'dateCreated', strftime('%Y-%m-%dT%H:%M:%SZ', p.created_at, 'unixepoch'),
    'dateLastModified', strftime('%Y-%m-%dT%H:%M:%SZ', p.modified_at, 'unixepoch')
)
FROM person AS p
WHERE p.organization_id = :organization AND p.state <> 'deactivated'
ORDER BY p.id;

SELECT json_object(
    'id', 'CL-' || c.id, 'name', c.name, 'displayName', c.display_name, 'number', c.number, 'room', c.room,
    'locationId', 'LO:' || c.location_id,
    'instructorIds', (
        SELECT json_group_array(printf('%052d', m.person_id)) FROM class_instructor AS m
        JOIN person ON person.id = m.person_id AND person.state <> 'deactivated'
        WHERE m.class_id = c.id
    ),
    'studentIds', (
        SELECT json_group_array(printf('%052d', m.person_id)) FROM class_student AS m
        JOIN person ON person.id = m.person_id AND person.state <> 'deactivated'
        WHERE m.class_id = c.id
    ),
    'dateCreated', strftime('%Y-%m-%dT%H:%M:%SZ', c.created_at, 'unixepoch'),
    'dateLastModified', strftime('%Y-%m-%dT%H:%M:%SZ', c.modified_at, 'unixepoch')
)
FROM class AS c
WHERE c.organization_id = :organization AND c.archived_at IS NULL
ORDER BY c.id;
