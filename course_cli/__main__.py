from course_cli.main import main

main()
